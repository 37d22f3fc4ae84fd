import { CLASES_DE_ARCHIVO } from '#app/cms/media/file-rules.ts'
import type { PropsDeArchivo } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { ElegirArchivo } from './file-picker.tsx'
import { direccionDeRuta } from './upload-protocol.ts'
import { useEnvioDeArchivo } from './use-send-file.ts'

/** A mark, drawn or with what shows through, on the ground on which the site shows it. */
export function CampoLogo({ id, valor, onCambio, descriptor, describedBy, invalid }: PropsDeArchivo<string>) {
  const envio = useEnvioDeArchivo('logo', descriptor, ({ ruta }) => onCambio(ruta))
  return (
    <div className={styles.campo}>
      {valor !== '' && (
        <figure className={styles.logo}>
          <img src={direccionDeRuta(valor, 480)} alt={`Logotipo que está puesto: ${descriptor.etiqueta}`} />
          <figcaption>Así se ve en el sitio, sobre fondo oscuro. Si no se distingue, pide la versión clara.</figcaption>
        </figure>
      )}
      <ElegirArchivo
        id={id}
        envio={envio}
        accion={valor === '' ? 'Elegir logotipo' : 'Cambiar logotipo'}
        etiqueta={descriptor.etiqueta}
        pista={CLASES_DE_ARCHIVO.logo.pista}
        describedBy={describedBy}
        invalid={invalid}
      />
    </div>
  )
}
