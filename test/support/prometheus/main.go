// Reads an exposition with the parsers of Prometheus: `promparse CONTENT_TYPE < text` prints the types of its metrics and the number
// of its samples as JSON. Exits with 1 and the parser's message on a mistake.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

func main() {
	if err := read(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read also refuses a series that comes twice, as a scrape does.
func read(contentType string) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	p, err := textparse.New(text, contentType, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return err
	}
	types := map[string]string{}
	samples := 0
	seen := map[string]bool{}
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch entry {
		case textparse.EntryType:
			name, kind := p.Type()
			types[string(name)] = string(kind)
		case textparse.EntrySeries:
			var lset labels.Labels
			p.Labels(&lset)
			if seen[lset.String()] {
				return fmt.Errorf("the series %s comes twice", lset.String())
			}
			seen[lset.String()] = true
			samples++
		}
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"types": types, "samples": samples})
}
