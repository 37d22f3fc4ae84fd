import { tipoDeRuta } from '#app/cms/media/file-rules.ts'
import { valorEn } from '#app/cms/schema/edits.ts'
import type { Hoja } from '#app/cms/schema/field-descriptor.ts'
import { CampoDocumento } from '#app/panel/editor/files/document-field.tsx'
import type { DescriptorDeArchivo, ValorDeFoto } from '#app/panel/editor/files/file-field-props.ts'
import { CampoLogo } from '#app/panel/editor/files/logo-field.tsx'
import { CampoFoto } from '#app/panel/editor/files/photo-field.tsx'
import { CampoVideo } from '#app/panel/editor/files/video-field.tsx'
import { useMano } from '#app/panel/editor/use-draft.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import type { PropsDeCampo } from './field-props.ts'
import styles from './inputs.module.css'

const fotoDe = (valor: unknown): ValorDeFoto => {
  const { foto = '', alt = '', foco = [50, 50] } = (valor ?? {}) as Partial<ValorDeFoto>
  return { foto, alt, foco }
}

const deArchivo = ({ rotulo, extensiones, marco }: Hoja): DescriptorDeArchivo => {
  const tipos = extensiones?.map((one) => tipoDeRuta(`.${one}`)).filter((one) => one !== undefined)
  return { etiqueta: rotulo, ...marco, ...(tipos && { tipos }) }
}

/** What may be left away can be taken away. */
const Quitar = ({ descriptor, valor, onCambio }: Pick<PropsDeCampo, 'descriptor' | 'valor' | 'onCambio'>) =>
  descriptor.opcional && valor !== undefined ? (
    <p>
      <Button look="quiet" onClick={() => onCambio(undefined)}>
        Quitar<span className={styles.oculto}> {descriptor.rotulo}</span>
      </Button>
    </p>
  ) : null

/** A photograph and what is seen in it. */
export const CampoDeFoto = ({ id, valor, onCambio, descriptor, describedBy, invalid }: PropsDeCampo) => (
  <>
    <CampoFoto
      {...{ id, describedBy, invalid }}
      valor={fotoDe(valor)}
      onCambio={onCambio}
      descriptor={deArchivo(descriptor)}
    />
    <Quitar {...{ descriptor, valor, onCambio }} />
  </>
)

/** A mark, a video or a document, by its path in the edition. */
export function CampoDeArchivo({ id, valor, onCambio, descriptor, describedBy, invalid, lugar }: PropsDeCampo) {
  const common = { id, describedBy, invalid, onCambio, descriptor: deArchivo(descriptor) }
  const ruta = typeof valor === 'string' ? valor : ''
  const onCartel = useCartel(lugar)
  return (
    <>
      {descriptor.clase === 'logo' && <CampoLogo {...common} valor={ruta} />}
      {descriptor.clase === 'documento' && <CampoDocumento {...common} valor={ruta} />}
      {descriptor.clase === 'video' && <CampoVideo {...common} valor={ruta} {...(onCartel && { onCartel })} />}
      <Quitar {...{ descriptor, valor, onCambio }} />
    </>
  )
}

/** Puts a frame of a video into the poster that stands beside it, if one does. */
function useCartel(lugar: PropsDeCampo['lugar']) {
  const { pluma, vista } = useMano()
  if (!lugar) return undefined
  const { documento } = lugar
  const cartel = [...lugar.campo.slice(0, -1), 'cartel']
  const before = valorEn(vista.valores[documento], cartel)
  if (before === undefined) return undefined
  return ({ ruta }: { ruta: string }) =>
    pluma.poner(documento, cartel, { ...fotoDe(before), foto: ruta, foco: [50, 50] })
}
