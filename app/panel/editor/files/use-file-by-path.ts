import { useEffect, useRef, useState } from 'react'
import { FILE_PATH, type ReceivedFile } from './upload-protocol.ts'

/** Holds the data of a field's file; `fetchFile` fetches them unless they are known or were requested. */
export function useFileByPath(path: string) {
  const [file, setFile] = useState<ReceivedFile>()
  const requestedPath = useRef<string>(undefined)
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return {
    knownFile: file?.ruta === path ? file : undefined,
    setKnownFile: setFile,
    fetchFile() {
      if (path === '' || file?.ruta === path || requestedPath.current === path) return
      requestedPath.current = path
      // A failed request is ignored: it only costs the warning about a small picture.
      fetch(`${FILE_PATH}?${new URLSearchParams({ ruta: path, datos: 'si' })}`)
        .then((response) => (response.ok ? (response.json() as Promise<ReceivedFile>) : undefined))
        .then((fetchedFile) => fetchedFile && isMounted.current && setFile({ ...fetchedFile, ruta: path }))
        .catch(() => {})
    },
  }
}
