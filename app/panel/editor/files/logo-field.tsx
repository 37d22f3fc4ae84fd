import { FILE_KINDS } from '#app/cms/media/file-rules.ts'
import type { FileFieldProps } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { fileAddressByPath } from './upload-protocol.ts'
import { useSendFile } from './use-send-file.ts'

/** A logo, SVG or with transparency, shown on the site's dark background. */
export function LogoField({ id, valor, onCambio, descriptor, describedBy, invalid }: FileFieldProps<string>) {
  const sending = useSendFile('logo', descriptor, ({ ruta }) => onCambio(ruta))
  return (
    <div className={styles.campo}>
      {valor !== '' && (
        <figure className={styles.logo}>
          <img src={fileAddressByPath(valor, 480)} alt={`Logotipo que está puesto: ${descriptor.etiqueta}`} />
          <figcaption>Así se ve en el sitio, sobre fondo oscuro. Si no se distingue, pide la versión clara.</figcaption>
        </figure>
      )}
      <FilePicker
        id={id}
        envio={sending}
        accion={valor === '' ? 'Elegir logotipo' : 'Cambiar logotipo'}
        etiqueta={descriptor.etiqueta}
        pista={FILE_KINDS.logo.pista}
        describedBy={describedBy}
        invalid={invalid}
      />
    </div>
  )
}
