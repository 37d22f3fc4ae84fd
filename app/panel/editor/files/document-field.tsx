import { FILE_KINDS } from '#app/cms/media/file-rules.ts'
import type { FileFieldProps } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { fileAddressByPath } from './upload-protocol.ts'
import { useSendFile } from './use-send-file.ts'

/** A document that visitors can download. */
export function DocumentField({ id, valor, onCambio, descriptor, describedBy, invalid }: FileFieldProps<string>) {
  const sending = useSendFile('documento', descriptor, ({ ruta }) => onCambio(ruta))
  return (
    <div className={styles.campo}>
      {valor !== '' && (
        <p className={styles.puesto}>
          Está puesto un {valor.endsWith('.pdf') ? 'PDF' : 'documento de Word'}.{' '}
          <a className={styles.enlace} href={fileAddressByPath(valor)} download>
            Descargarlo
          </a>
        </p>
      )}
      <FilePicker
        id={id}
        envio={sending}
        accion={valor === '' ? 'Elegir documento' : 'Cambiar documento'}
        etiqueta={descriptor.etiqueta}
        pista={FILE_KINDS.documento.pista}
        describedBy={describedBy}
        invalid={invalid}
      />
    </div>
  )
}
