package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

type object = map[string]any

// image packs root as the only layer of an OCI image archive. Owners become
// root and times zero, so that the same folder always gives the same image.
func image(file, name, root string, entrypoint []string) error {
	layer, err := pack(root)
	if err != nil {
		return err
	}
	archive := &ociArchive{}
	archive.add("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))

	run := object{"Env": []string{"PATH=/bin"}, "WorkingDir": "/"}
	if len(entrypoint) > 0 {
		run["Entrypoint"] = entrypoint
	}
	config := archive.blob("application/vnd.oci.image.config.v1+json", object{
		"os": "linux", "architecture": runtime.GOARCH, "config": run,
		"rootfs": object{"type": "layers", "diff_ids": []string{digest(layer)}},
	})
	manifest := archive.blob("application/vnd.oci.image.manifest.v1+json", object{
		"schemaVersion": 2,
		"mediaType":     "application/vnd.oci.image.manifest.v1+json",
		"config":        config,
		"layers":        []object{archive.raw("application/vnd.oci.image.layer.v1.tar", layer)},
	})
	manifest["platform"] = object{"os": "linux", "architecture": runtime.GOARCH}
	manifest["annotations"] = object{
		"io.containerd.image.name":          name,
		"org.opencontainers.image.ref.name": name[strings.LastIndex(name, ":")+1:],
	}
	archive.add("index.json", encode(object{"schemaVersion": 2, "manifests": []object{manifest}}))
	if err := archive.close(); err != nil {
		return err
	}
	return os.WriteFile(file, archive.buffer.Bytes(), 0o644)
}

func pack(root string) ([]byte, error) {
	var buffer bytes.Buffer
	out := tar.NewWriter(&buffer)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		link := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			if link, err = os.Readlink(path); err != nil {
				return err
			}
		}
		found, err := tar.FileInfoHeader(info, link)
		if err != nil {
			return err
		}
		header := &tar.Header{
			Typeflag: found.Typeflag, Name: filepath.ToSlash(inside),
			Linkname: link, Mode: found.Mode, Size: found.Size,
		}
		if info.IsDir() {
			header.Name += "/"
		}
		if err := out.WriteHeader(header); err != nil || !info.Mode().IsRegular() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(out, file)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = out.Close()
	return buffer.Bytes(), err
}

// ociArchive keeps the first error and reports it on close.
type ociArchive struct {
	buffer bytes.Buffer
	tar    *tar.Writer
	err    error
}

func (a *ociArchive) add(path string, data []byte) {
	if a.tar == nil {
		a.tar = tar.NewWriter(&a.buffer)
	}
	if a.err == nil {
		a.err = a.tar.WriteHeader(&tar.Header{Name: path, Mode: 0o644, Size: int64(len(data))})
	}
	if a.err == nil {
		_, a.err = a.tar.Write(data)
	}
}

func (a *ociArchive) raw(mediaType string, data []byte) object {
	sum := digest(data)
	a.add("blobs/sha256/"+strings.TrimPrefix(sum, "sha256:"), data)
	return object{"mediaType": mediaType, "digest": sum, "size": len(data)}
}

func (a *ociArchive) blob(mediaType string, value object) object {
	return a.raw(mediaType, encode(value))
}

func (a *ociArchive) close() error {
	if a.err != nil {
		return a.err
	}
	return a.tar.Close()
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// encode cannot fail: the values are maps of strings, numbers and lists.
func encode(value object) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}
