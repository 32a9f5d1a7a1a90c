// A MongoDB-compatible server for tests: FerretDB over SQLite files in the folder named by the first argument.
// It listens on a port of its own choice, prints its URI as its first line, and ends when its standard input does,
// so that it never outlives the test run that started it.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		// Nobody needs what a test wrote after a power cut.
		SQLiteURL: "file:" + os.Args[1] + "/?_pragma=synchronous(off)",
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
		// Connections that a test left open must not hold the process.
		time.Sleep(2 * time.Second)
		os.Exit(0)
	}()
	go func() { fmt.Println(server.MongoDBURI()) }()
	_ = server.Run(ctx)
}
