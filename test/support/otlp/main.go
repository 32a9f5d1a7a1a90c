// Reads an export request of traces with the data model of the OpenTelemetry collector: `otlpread CONTENT_TYPE < body` prints it as
// OTLP's JSON. Exits with 1 and the message on a mistake.
package main

import (
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

func main() {
	if err := read(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(contentType string) error {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	request := ptraceotlp.NewExportRequest()
	if contentType == "application/json" {
		err = request.UnmarshalJSON(body)
	} else {
		err = request.UnmarshalProto(body)
	}
	if err != nil {
		return err
	}
	text, err := request.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}
