// Checks, with Go's own packages, what svc publishes of its tree: the signed checkpoint, the tiles, and the proofs that follow
// from them. Run as: integrity FOLDER VKEY. The folder has `checkpoint` and `tile/...` as
// https://c2sp.org/tlog-tiles serves them, and `proofs`, a line of JSON per proof that svc made.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
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

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
}

func run(folder, vkey string) error {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return fmt.Errorf("verifier key: %w", err)
	}
	message, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	if err != nil {
		return err
	}
	signed, err := note.Open(message, note.VerifierList(verifier))
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	lines := strings.Split(signed.Text, "\n")
	if lines[0] != verifier.Name() {
		return fmt.Errorf("origin %q", lines[0])
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return err
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		return err
	}
	tree := tlog.Tree{N: size, Hash: root}
	reader := tlog.TileHashReader(tree, &tiles{folder})
	leaves := int64(0)
	for bundle := int64(0); bundle*256 < size; bundle++ {
		width := min(int(size-bundle*256), 256)
		data, err := os.ReadFile(path(folder, tlog.Tile{H: height, L: 0, N: bundle, W: width}, true))
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
	file, err := os.Open(filepath.Join(folder, "proofs"))
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

type tiles struct{ folder string }

func (t *tiles) Height() int { return height }

func (t *tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(wanted))
	for i, tile := range wanted {
		var err error
		if data[i], err = os.ReadFile(path(t.folder, tile, false)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (t *tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// The paths of c2sp.org/tlog-tiles are those of Go's checksum database without the height.
func path(folder string, tile tlog.Tile, entries bool) string {
	name := strings.TrimPrefix(tile.Path(), "tile/8/")
	if entries {
		name = "entries/" + strings.TrimPrefix(name, "0/")
	}
	return filepath.Join(folder, "tile", filepath.FromSlash(name))
}
