// Checks, with Go's own packages, what svc publishes of its tree: the signed checkpoint, the tiles, and the proofs that follow
// from them. Run as one of:
//
//	integrity FOLDER VKEY                    The folder has `checkpoint` and `tile/...` as https://c2sp.org/tlog-tiles serves them,
//	                                         and `proofs`, a line of JSON per proof that svc made.
//	integrity URL VKEY [REQUEST_ID=KEY ...]  The same below URL/api/log of a running service, and receipts of requests that API
//	                                         keys have made.
//	integrity FILE.zip VKEY                  An evidence bundle: its checkpoints, the proofs of consistency between them, and that its
//	                                         events and the hashes between them give the root of the last one (bundle.go).
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type proof struct {
	Kind   string   `json:"kind"`
	From   int64    `json:"from"`
	To     int64    `json:"to"`
	Root   string   `json:"root"`
	Old    string   `json:"old"`
	Leaf   string   `json:"leaf"`
	Hashes []string `json:"hashes"`
}

// Reads what is published under a name such as `checkpoint` or `tile/0/000`.
type source func(name string) ([]byte, error)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
}

func run(from, vkey string, receipts []string) error {
	if strings.HasSuffix(from, ".zip") {
		return checkBundle(from, vkey)
	}
	isService := strings.HasPrefix(from, "http")
	read := source(func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(from, filepath.FromSlash(name))) })
	if isService {
		read = func(name string) ([]byte, error) { return get(from+"/api/log/"+name, "") }
	}
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return fmt.Errorf("verifier key: %w", err)
	}
	message, err := read("checkpoint")
	if err != nil {
		return err
	}
	tree, err := open(message, verifier)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	size := tree.N
	reader := tlog.TileHashReader(tree, &tiles{read})
	leaves := int64(0)
	for bundle := int64(0); bundle*256 < size; bundle++ {
		width := min(int(size-bundle*256), 256)
		data, err := read(path(tlog.Tile{H: height, L: 0, N: bundle, W: width}, true))
		if err != nil {
			return err
		}
		for range width {
			length := int(binary.BigEndian.Uint16(data))
			entry := data[2 : 2+length]
			data = data[2+length:]
			stored, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, leaves)})
			if err != nil {
				return fmt.Errorf("leaf %d: %w", leaves, err)
			}
			if stored[0] != tlog.RecordHash(entry) {
				return fmt.Errorf("leaf %d: the entry has another hash", leaves)
			}
			var event struct{ Position int64 }
			if err := json.Unmarshal(entry, &event); err != nil || event.Position != leaves+1 || len(entry) >= 4096 || bytes.IndexByte(entry, '\n') >= 0 {
				return fmt.Errorf("leaf %d: %q", leaves, entry)
			}
			leaves++
		}
		if len(data) > 0 {
			return fmt.Errorf("bundle %d has %d bytes more", bundle, len(data))
		}
	}
	if isService {
		for _, receipt := range receipts {
			id, key, _ := strings.Cut(receipt, "=")
			if err := checkReceipt(from, id, key, verifier, tree, reader); err != nil {
				return fmt.Errorf("receipt of %s: %w", id, err)
			}
		}
		fmt.Printf("intact: %d leaves, %d receipts\n", leaves, len(receipts))
		return nil
	}
	file, err := os.Open(filepath.Join(from, "proofs"))
	if err != nil {
		return err
	}
	defer file.Close()
	proofs := 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); proofs++ {
		var p proof
		if err := json.Unmarshal(scanner.Bytes(), &p); err != nil {
			return err
		}
		if err := check(p, reader); err != nil {
			return fmt.Errorf("%s proof from %d to %d: %w", p.Kind, p.From, p.To, err)
		}
	}
	fmt.Printf("intact: %d leaves, %d proofs\n", leaves, proofs)
	return nil
}

func check(p proof, reader tlog.HashReader) error {
	expected, err := tlog.TreeHash(p.To, reader)
	if err != nil {
		return err
	}
	if got, err := hash(p.Root); err != nil || got != expected {
		return fmt.Errorf("another root, %v", err)
	}
	hashes := make([]tlog.Hash, len(p.Hashes))
	for i, text := range p.Hashes {
		if hashes[i], err = hash(text); err != nil {
			return err
		}
	}
	switch p.Kind {
	case "inclusion":
		leaf, err := hash(p.Leaf)
		if err != nil {
			return err
		}
		return tlog.CheckRecord(hashes, p.To, expected, p.From, leaf)
	case "consistency":
		old, err := hash(p.Old)
		if err != nil {
			return err
		}
		return tlog.CheckTree(hashes, p.To, expected, p.From, old)
	}
	return fmt.Errorf("unknown kind")
}

func hash(text string) (tlog.Hash, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) != tlog.HashSize {
		return tlog.Hash{}, fmt.Errorf("%q is not a hash", text)
	}
	return tlog.Hash(data), nil
}

// Opens a signed checkpoint. Its origin is the name of the key.
func open(message []byte, verifier note.Verifier) (tlog.Tree, error) {
	signed, err := note.Open(message, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(signed.Text, "\n")
	if lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("origin %q", lines[0])
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

type receipt struct {
	Index      int64    `json:"index"`
	Hashes     []string `json:"hashes"`
	Checkpoint string   `json:"checkpoint"`
	Entry      string   `json:"entry"`
	Proof      string   `json:"proof"`
}

// Checks that a receipt proves the end of the request, for a tree that the newest one continues.
func checkReceipt(url, id, key string, verifier note.Verifier, newest tlog.Tree, reader tlog.HashReader) error {
	data, err := get(url+"/api/receipts/"+id, key)
	if err != nil {
		return err
	}
	var r receipt
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	tree, err := open([]byte(r.Checkpoint), verifier)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	hashes := make(tlog.RecordProof, len(r.Hashes))
	for i, text := range r.Hashes {
		if hashes[i], err = hash(text); err != nil {
			return err
		}
	}
	if err := tlog.CheckRecord(hashes, tree.N, tree.Hash, r.Index, tlog.RecordHash([]byte(r.Entry))); err != nil {
		return err
	}
	var event struct {
		CorrelationId string
		Position      int64
	}
	if err := json.Unmarshal([]byte(r.Entry), &event); err != nil || event.CorrelationId != id || event.Position != r.Index+1 {
		return fmt.Errorf("the entry is of another event: %q", r.Entry)
	}
	lines := append([]string{
		"c2sp.org/tlog-proof@v1",
		"extra " + base64.StdEncoding.EncodeToString([]byte(r.Entry)),
		fmt.Sprintf("index %d", r.Index),
	}, r.Hashes...)
	if want := strings.Join(append(lines, "", r.Checkpoint), "\n"); r.Proof != want {
		return fmt.Errorf("the proof is %q, not %q", r.Proof, want)
	}
	if tree.N > newest.N {
		return nil
	}
	consistency, err := tlog.ProveTree(newest.N, tree.N, reader)
	if err != nil {
		return err
	}
	return tlog.CheckTree(consistency, newest.N, newest.Hash, tree.N, tree.Hash)
}

func get(url, key string) ([]byte, error) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, err
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %s", url, response.Status, data)
	}
	return data, err
}

type tiles struct{ read source }

func (t *tiles) Height() int { return height }

func (t *tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(wanted))
	for i, tile := range wanted {
		var err error
		if data[i], err = t.read(path(tile, false)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (t *tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// The paths of c2sp.org/tlog-tiles are those of Go's checksum database without the height.
func path(tile tlog.Tile, entries bool) string {
	name := strings.TrimPrefix(tile.Path(), "tile/8/")
	if entries {
		name = "entries/" + strings.TrimPrefix(name, "0/")
	}
	return "tile/" + name
}
