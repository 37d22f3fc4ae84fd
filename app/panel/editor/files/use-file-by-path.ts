import { useEffect, useRef, useState } from 'react'
import { FILE_PATH, type ReceivedFile } from './upload-protocol.ts'

/** Keeps the data of the file that a field names; `fetchFile` fetches it unless the file was just uploaded. */
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
      // After a failed request only the warning about a small picture is missing.
      fetch(`${FILE_PATH}?${new URLSearchParams({ ruta: path, datos: 'si' })}`)
        .then((response) => (response.ok ? (response.json() as Promise<ReceivedFile>) : undefined))
        .then((found) => found && isMounted.current && setFile({ ...found, ruta: path }))
        .catch(() => {})
    },
  }
}
