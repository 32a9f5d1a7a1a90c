package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type manifest struct {
	Origin   string `json:"origin"`
	TreeSize int64  `json:"treeSize"`
	Root     string `json:"root"`
	Events   struct {
		Count int64 `json:"count"`
	} `json:"events"`
	Parts []struct {
		Events string `json:"events"`
		Proofs string `json:"proofs"`
		From   int64  `json:"from"`
		To     int64  `json:"to"`
	} `json:"parts"`
}

// The attributes of an event that are in its leaf entry.
type eventLine struct {
	Position      string  `json:"position"`
	Subject       string  `json:"subject"`
	Revision      string  `json:"revision"`
	ID            string  `json:"id"`
	Type          string  `json:"type"`
	Version       string  `json:"schemaversion"`
	TimeMs        int64   `json:"timems,string"`
	Time          string  `json:"time"`
	Correlation   *string `json:"correlationid"`
	DataSHA256    string  `json:"datasha256"`
	MetadataSHA25 string  `json:"metadatasha256"`
}

type proofLine struct {
	From int64  `json:"from"`
	To   int64  `json:"to"`
	Hash string `json:"hash"`
}

// A subtree of the leaves from `from` on; its width is a power of two.
type subtree struct {
	from, width int64
	hash        tlog.Hash
}

func checkBundle(path, vkey string) error {
	file, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer file.Close()
	entries := map[string][]byte{}
	for _, entry := range file.File {
		reader, err := entry.Open()
		if err != nil {
			return err
		}
		if entries[entry.Name], err = io.ReadAll(reader); err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
		}
	}
	var m manifest
	if err := json.Unmarshal(entries["manifest.json"], &m); err != nil {
		return err
	}
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	roots := map[int64]tlog.Hash{}
	for name, content := range entries {
		if !strings.HasPrefix(name, "checkpoints/") {
			continue
		}
		tree, err := open(content, verifier)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		roots[tree.N] = tree.Hash
	}
	root, isSigned := roots[m.TreeSize]
	if !isSigned || fmt.Sprintf("%x", root[:]) != m.Root {
		return fmt.Errorf("the manifest has another root than its checkpoint")
	}
	consistencies := 0
	for _, line := range lines(entries["consistency.jsonl"]) {
		var p proof
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		proof := make(tlog.TreeProof, len(p.Hashes))
		for i, text := range p.Hashes {
			if proof[i], err = hash(text); err != nil {
				return err
			}
		}
		if err := tlog.CheckTree(proof, p.To, roots[p.To], p.From, roots[p.From]); err != nil {
			return fmt.Errorf("from %d to %d: %w", p.From, p.To, err)
		}
		consistencies++
	}
	if consistencies != len(roots)-1 {
		return fmt.Errorf("%d checkpoints, %d proofs of consistency", len(roots), consistencies)
	}
	events, found, err := rootOf(m, entries)
	if err != nil {
		return err
	}
	if found != root || events != m.Events.Count {
		return fmt.Errorf("%d events and the hashes between them give another root", events)
	}
	fmt.Printf("intact: %d events of %d, %d checkpoints\n", events, m.TreeSize, len(roots))
	return nil
}

// The root that follows from the events and the hashes of the leaves between them.
func rootOf(m manifest, entries map[string][]byte) (int64, tlog.Hash, error) {
	var stack []subtree
	next, events := int64(0), int64(0)
	push := func(part subtree) error {
		if part.from != next || part.width < 1 || part.from%part.width != 0 || part.width&(part.width-1) != 0 {
			return fmt.Errorf("leaves %d to %d do not follow %d", part.from, part.from+part.width, next)
		}
		next += part.width
		stack = append(stack, part)
		for len(stack) > 1 {
			left, right := stack[len(stack)-2], stack[len(stack)-1]
			if left.width != right.width || left.from%(2*left.width) != 0 {
				break
			}
			stack = append(stack[:len(stack)-2], subtree{left.from, 2 * left.width, tlog.NodeHash(left.hash, right.hash)})
		}
		return nil
	}
	for _, part := range m.Parts {
		proofs := lines(entries[part.Proofs])
		pushProofs := func(before int64) error {
			for len(proofs) > 0 {
				var p proofLine
				if err := json.Unmarshal(proofs[0], &p); err != nil {
					return err
				}
				if p.From >= before {
					return nil
				}
				bytes, err := base64.StdEncoding.DecodeString(p.Hash)
				if err != nil || len(bytes) != tlog.HashSize {
					return fmt.Errorf("%q is not a hash", p.Hash)
				}
				if err := push(subtree{p.From, p.To - p.From, tlog.Hash(bytes)}); err != nil {
					return err
				}
				proofs = proofs[1:]
			}
			return nil
		}
		for _, line := range lines(entries[part.Events]) {
			position, entry, err := leafEntry(line)
			if err != nil {
				return 0, tlog.Hash{}, err
			}
			if err := pushProofs(position - 1); err != nil {
				return 0, tlog.Hash{}, err
			}
			if err := push(subtree{position - 1, 1, tlog.RecordHash(entry)}); err != nil {
				return 0, tlog.Hash{}, err
			}
			events++
		}
		if err := pushProofs(m.TreeSize + 1); err != nil {
			return 0, tlog.Hash{}, err
		}
	}
	if next != m.TreeSize || len(stack) == 0 {
		return 0, tlog.Hash{}, fmt.Errorf("%d of %d leaves", next, m.TreeSize)
	}
	root := stack[len(stack)-1].hash
	for i := len(stack) - 2; i >= 0; i-- {
		root = tlog.NodeHash(stack[i].hash, root)
	}
	return events, root, nil
}

// The leaf entry that an event stands for: one line of JSON with sorted keys.
func leafEntry(line []byte) (int64, []byte, error) {
	var e eventLine
	if err := json.Unmarshal(line, &e); err != nil {
		return 0, nil, err
	}
	var position int64
	if _, err := fmt.Sscan(e.Position, &position); err != nil {
		return 0, nil, err
	}
	ms, err := millisecondsOf(e)
	if err != nil {
		return 0, nil, err
	}
	entry := fmt.Sprintf(
		`{"correlationId":%s,"dataSha256":%s,"id":%s,"metadataSha256":%s,"position":%s,"revision":%s,"stream":%s,"time":%d,"type":%s,"version":%s}`,
		text(e.Correlation), text(&e.DataSHA256), text(&e.ID), text(&e.MetadataSHA25), e.Position, e.Revision,
		text(&e.Subject), ms, text(&e.Type), e.Version)
	return position, []byte(entry), nil
}

// Of a time outside of the years that RFC 3339 has, the milliseconds stand beside it.
func millisecondsOf(e eventLine) (int64, error) {
	if e.Time == "" {
		return e.TimeMs, nil
	}
	at, err := time.Parse(time.RFC3339Nano, e.Time)
	return at.UnixMilli(), err
}

// A string as JSON without the escapes of HTML; null for none.
func text(value *string) string {
	if value == nil {
		return "null"
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(*value)
	return strings.TrimSuffix(out.String(), "\n")
}

func lines(content []byte) [][]byte {
	var found [][]byte
	for scanner := bufio.NewReader(bytes.NewReader(content)); ; {
		line, err := scanner.ReadBytes('\n')
		if len(line) > 0 {
			found = append(found, bytes.TrimSuffix(line, []byte("\n")))
		}
		if err != nil {
			return found
		}
	}
}
