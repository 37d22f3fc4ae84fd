import { useEffect, useRef, useState } from 'react'
import { FILE_PATH, type ReceivedFile } from './upload-protocol.ts'

/** Data of the file that a field names: fetched once the file is shown, unless it was just uploaded. */
export function useFileByPath(path: string) {
  const [file, setFile] = useState<ReceivedFile>()
  const asked = useRef<string>(undefined)
  const here = useRef(true)
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
    }
  }, [])
  return {
    knownFile: file?.ruta === path ? file : undefined,
    setKnownFile: setFile,
    fetchFile() {
      if (path === '' || file?.ruta === path || asked.current === path) return
      asked.current = path
      // A failed request only leaves out a warning.
      fetch(`${FILE_PATH}?${new URLSearchParams({ ruta: path, datos: 'si' })}`)
        .then((response) => (response.ok ? (response.json() as Promise<ReceivedFile>) : undefined))
        .then((found) => found && here.current && setFile({ ...found, ruta: path }))
        .catch(() => {})
    },
  }
}
