import { FILE_KINDS } from '#app/cms/media/file-rules.ts'
import type { FileFieldProps } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { fileAddressByPath } from './upload-protocol.ts'
import { useSendFile } from './use-send-file.ts'

export function DocumentField({ id, value, onChange, descriptor, describedBy, invalid }: FileFieldProps<string>) {
  const sending = useSendFile('documento', descriptor, ({ ruta }) => onChange(ruta))
  return (
    <div className={styles.field}>
      {value !== '' && (
        <p className={styles.placed}>
          Está puesto un {value.endsWith('.pdf') ? 'PDF' : 'documento de Word'}.{' '}
          <a className={styles.link} href={fileAddressByPath(value)} download>
            Descargarlo
          </a>
        </p>
      )}
      <FilePicker
        id={id}
        sending={sending}
        action={value === '' ? 'Elegir documento' : 'Cambiar documento'}
        label={descriptor.label}
        hint={FILE_KINDS.documento.hint}
        describedBy={describedBy}
        invalid={invalid}
      />
    </div>
  )
}
