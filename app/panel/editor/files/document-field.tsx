import { CLASES_DE_ARCHIVO } from '#app/cms/media/file-rules.ts'
import type { PropsDeArchivo } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { ElegirArchivo } from './file-picker.tsx'
import { direccionDeRuta } from './upload-protocol.ts'
import { useEnvioDeArchivo } from './use-send-file.ts'

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
