import { CLASES_DE_ARCHIVO } from '#app/edicion/archivos.ts'
import { direccionDeRuta } from '../archivos.ts'
import styles from './archivo.module.css'
import type { PropsDeArchivo } from './descriptor.ts'
import { ElegirArchivo } from './elegir-archivo.tsx'
import { useEnvioDeArchivo } from './use-envio-de-archivo.ts'

/** A document that visitors take along. */
export function CampoDocumento({ id, valor, onCambio, descriptor, describedBy, invalid }: PropsDeArchivo<string>) {
  const envio = useEnvioDeArchivo('documento', descriptor, ({ ruta }) => onCambio(ruta))
  return (
    <div className={styles.campo}>
      {valor !== '' && (
        <p className={styles.puesto}>
          Está puesto un {valor.endsWith('.pdf') ? 'PDF' : 'documento de Word'}.{' '}
          <a className={styles.enlace} href={direccionDeRuta(valor)} download>
            Descargarlo
          </a>
        </p>
      )}
      <ElegirArchivo
        id={id}
        envio={envio}
        accion={valor === '' ? 'Elegir documento' : 'Cambiar documento'}
        etiqueta={descriptor.etiqueta}
        pista={CLASES_DE_ARCHIVO.documento.pista}
        describedBy={describedBy}
        invalid={invalid}
      />
    </div>
  )
}
