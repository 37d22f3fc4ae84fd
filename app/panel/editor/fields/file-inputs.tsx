import { suggestAltText } from '#app/cms/media/alt-text.ts'
import { fileTypeOfPath } from '#app/cms/media/file-rules.ts'
import type { LeafDescriptor } from '#app/cms/schema/field-descriptor.ts'
import { valueAt } from '#app/cms/schema/field-path.ts'
import { useEditForm } from '#app/panel/editor/edit-form-context.ts'
import { DocumentField } from '#app/panel/editor/files/document-field.tsx'
import type { FileDescriptor, PhotoValue } from '#app/panel/editor/files/file-field-props.ts'
import { LogoField } from '#app/panel/editor/files/logo-field.tsx'
import { PhotoField } from '#app/panel/editor/files/photo-field.tsx'
import { VideoField } from '#app/panel/editor/files/video-field.tsx'
import { Button } from '#app/ui/components/button.tsx'
import type { InputProps } from './field-props.ts'

export const photoOf = (value: unknown): PhotoValue => {
  const { foto = '', alt = '', foco = [50, 50] } = (value ?? {}) as Partial<PhotoValue>
  return { foto, alt, foco }
}

const toFileDescriptor = ({ label, isOptional, extensions, frame }: LeafDescriptor): FileDescriptor => {
  const types = extensions?.map((extension) => fileTypeOfPath(`.${extension}`)).filter((type) => type !== undefined)
  return { label, isOptional, ...frame, ...(types && { types }) }
}

const RemoveButton = ({ descriptor, value, onChange }: Pick<InputProps, 'descriptor' | 'value' | 'onChange'>) =>
  descriptor.isOptional && value !== undefined ? (
    <p>
      <Button look="quiet" onClick={() => onChange(undefined)}>
        Quitar<span className="visually-hidden"> {descriptor.label}</span>
      </Button>
    </p>
  ) : null

export function PhotoInput({ id, value, onChange, descriptor, describedBy, isInvalid, notes, place }: InputProps) {
  const { view } = useEditForm()
  return (
    <>
      <PhotoField
        id={id}
        describedBy={describedBy}
        isInvalid={isInvalid}
        value={photoOf(value)}
        onChange={onChange}
        descriptor={toFileDescriptor(descriptor)}
        notes={notes}
        suggestedAlt={place && suggestAltText(view.documents[place.documentName]?.mine, place.path)}
      />
      <RemoveButton descriptor={descriptor} value={value} onChange={onChange} />
    </>
  )
}

export function FileInput({ id, value, onChange, descriptor, describedBy, isInvalid, place }: InputProps) {
  const commonProps = { id, describedBy, isInvalid, onChange, descriptor: toFileDescriptor(descriptor) }
  const path = typeof value === 'string' ? value : ''
  const onPoster = usePosterSetter(place)
  const removeLighterCopy = useLighterCopyRemover(place)
  return (
    <>
      {descriptor.kind === 'logo' && <LogoField {...commonProps} value={path} />}
      {descriptor.kind === 'document' && <DocumentField {...commonProps} value={path} />}
      {descriptor.kind === 'video' && (
        <VideoField
          {...commonProps}
          value={path}
          onChange={(next) => {
            onChange(next)
            removeLighterCopy()
          }}
          {...(onPoster && { onPoster })}
        />
      )}
      <RemoveButton descriptor={descriptor} value={value} onChange={onChange} />
    </>
  )
}

/** Returns a function that sets a photograph as the video's poster; undefined if no poster (`cartel`) is beside the video. */
function usePosterSetter(place: InputProps['place']) {
  const { draftClient, view } = useEditForm()
  if (!place) return undefined
  const { documentName } = place
  const posterPath = [...place.path.slice(0, -1), 'cartel']
  const poster = valueAt(view.documents[documentName]?.mine, posterPath)
  if (poster === undefined) return undefined
  return ({ ruta }: { ruta: string }) =>
    draftClient.set(documentName, posterPath, { ...photoOf(poster), foto: ruta, foco: [50, 50] })
}

/** Returns a function that removes the lighter copy (`av1`) of a video, which no longer fits once the video is replaced. */
function useLighterCopyRemover(place: InputProps['place']) {
  const { draftClient } = useEditForm()
  return () => place && draftClient.set(place.documentName, [...place.path.slice(0, -1), 'av1'], undefined)
}
