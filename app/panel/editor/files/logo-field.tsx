import { FILE_KINDS } from '#app/cms/media/file-rules.ts'
import type { FileFieldProps } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { fileUrlByPath } from './upload-protocol.ts'
import { useFileSender } from './use-file-sender.ts'

/** Edits a logo, which is shown on the site's dark background. */
export function LogoField({ id, value, onChange, descriptor, describedBy, isInvalid }: FileFieldProps<string>) {
  const sender = useFileSender('logo', descriptor, ({ ruta }) => onChange(ruta))
  return (
    <div className={styles.field}>
      {value !== '' && (
        <figure className={styles.logo}>
          <img src={fileUrlByPath(value, 480)} alt={`Logotipo que está puesto: ${descriptor.label}`} />
          <figcaption>Así se ve en el sitio, sobre fondo oscuro. Si no se distingue, pide la versión clara.</figcaption>
        </figure>
      )}
      <FilePicker
        id={id}
        sender={sender}
        action={value === '' ? 'Elegir logotipo' : 'Cambiar logotipo'}
        label={descriptor.label}
        hint={FILE_KINDS.logo.hint}
        describedBy={describedBy}
        isInvalid={isInvalid}
        required={!descriptor.isOptional && value === ''}
      />
    </div>
  )
}
