import { fileTypeOfPath } from '#app/cms/media/file-rules.ts'
import { valorEn } from '#app/cms/schema/edits.ts'
import type { Leaf } from '#app/cms/schema/field-descriptor.ts'
import { DocumentField } from '#app/panel/editor/files/document-field.tsx'
import type { FileDescriptor, PhotoValue } from '#app/panel/editor/files/file-field-props.ts'
import { LogoField } from '#app/panel/editor/files/logo-field.tsx'
import { PhotoField } from '#app/panel/editor/files/photo-field.tsx'
import { VideoField } from '#app/panel/editor/files/video-field.tsx'
import { useEditForm } from '#app/panel/editor/use-draft.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import type { InputProps } from './field-props.ts'
import styles from './inputs.module.css'

const photoOf = (valor: unknown): PhotoValue => {
  const { foto = '', alt = '', foco = [50, 50] } = (valor ?? {}) as Partial<PhotoValue>
  return { foto, alt, foco }
}

const toFileDescriptor = ({ rotulo, extensiones, marco }: Leaf): FileDescriptor => {
  const types = extensiones?.map((one) => fileTypeOfPath(`.${one}`)).filter((one) => one !== undefined)
  return { etiqueta: rotulo, ...marco, ...(types && { tipos: types }) }
}

/** Removes the value of an optional field. */
const RemoveButton = ({ descriptor, valor, onCambio }: Pick<InputProps, 'descriptor' | 'valor' | 'onCambio'>) =>
  descriptor.opcional && valor !== undefined ? (
    <p>
      <Button look="quiet" onClick={() => onCambio(undefined)}>
        Quitar<span className={styles.oculto}> {descriptor.rotulo}</span>
      </Button>
    </p>
  ) : null

/** A photograph with its alternative text. */
export const PhotoInput = ({ id, valor, onCambio, descriptor, describedBy, invalid }: InputProps) => (
  <>
    <PhotoField
      {...{ id, describedBy, invalid }}
      valor={photoOf(valor)}
      onCambio={onCambio}
      descriptor={toFileDescriptor(descriptor)}
    />
    <RemoveButton {...{ descriptor, valor, onCambio }} />
  </>
)

/** A logo, a video or a document, by its path in the edition. */
export function FileInput({ id, valor, onCambio, descriptor, describedBy, invalid, lugar }: InputProps) {
  const common = { id, describedBy, invalid, onCambio, descriptor: toFileDescriptor(descriptor) }
  const path = typeof valor === 'string' ? valor : ''
  const onCartel = useCartel(lugar)
  return (
    <>
      {descriptor.clase === 'logo' && <LogoField {...common} valor={path} />}
      {descriptor.clase === 'documento' && <DocumentField {...common} valor={path} />}
      {descriptor.clase === 'video' && <VideoField {...common} valor={path} {...(onCartel && { onCartel })} />}
      <RemoveButton {...{ descriptor, valor, onCambio }} />
    </>
  )
}

/** Returns a function that sets a photograph as the video's poster; undefined where no poster field stands beside it. */
function useCartel(place: InputProps['lugar']) {
  const { pluma, vista } = useEditForm()
  if (!place) return undefined
  const { documento } = place
  const cartel = [...place.campo.slice(0, -1), 'cartel']
  const before = valorEn(vista.valores[documento], cartel)
  if (before === undefined) return undefined
  return ({ ruta }: { ruta: string }) =>
    pluma.poner(documento, cartel, { ...photoOf(before), foto: ruta, foco: [50, 50] })
}
