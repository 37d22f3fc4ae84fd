import { useEffect, useRef, useState } from 'react'
import { ARCHIVO, type ArchivoRecibido } from './upload-protocol.ts'

/** What is known of the file that a field names: asked for when it is shown, unless it has just been received. */
export function useArchivoDeRuta(ruta: string) {
  const [archivo, setArchivo] = useState<ArchivoRecibido>()
  const asked = useRef<string>(undefined)
  const here = useRef(true)
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
    }
  }, [])
  return {
    archivo: archivo?.ruta === ruta ? archivo : undefined,
    conocer: setArchivo,
    mirar() {
      if (ruta === '' || archivo?.ruta === ruta || asked.current === ruta) return
      asked.current = ruta
      // Without it a warning is missing, nothing else.
      fetch(`${ARCHIVO}?${new URLSearchParams({ ruta, datos: 'si' })}`)
        .then((response) => (response.ok ? (response.json() as Promise<ArchivoRecibido>) : undefined))
        .then((found) => found && here.current && setArchivo({ ...found, ruta }))
        .catch(() => {})
    },
  }
}
