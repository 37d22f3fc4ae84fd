import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { altTextFault, MAX_ALT_CHARACTERS } from '#app/cms/media/alt-text.ts'
import { FILE_KINDS } from '#app/cms/media/file-rules.ts'
import { Button } from '#app/ui/components/button.tsx'
import { type FileFieldProps, isAltMissing, type PhotoValue } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { RequiredMark } from './required-mark.tsx'
import { fileUrlByPath } from './upload-protocol.ts'
import { useFileByPath } from './use-file-by-path.ts'
import { useFileSender } from './use-file-sender.ts'

/** A tap or an arrow key puts the focal point on a multiple of this. */
const FOCAL_STEP_PERCENT = 5
const snapToStep = (percent: number) =>
  Math.min(100, Math.max(0, Math.round(percent / FOCAL_STEP_PERCENT) * FOCAL_STEP_PERCENT))
const KEY_STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-FOCAL_STEP_PERCENT, 0],
  ArrowRight: [FOCAL_STEP_PERCENT, 0],
  ArrowUp: [0, -FOCAL_STEP_PERCENT],
  ArrowDown: [0, FOCAL_STEP_PERCENT],
}
const PREVIEW_WIDTH_PX = 960
const DEFAULT_ASPECT_RATIOS = { phone: 4 / 5, desktop: 16 / 9 }

interface Props extends FileFieldProps<PhotoValue> {
  /** Alternative text that the form offers while there is none. */
  suggestedAlt: string | undefined
  /** Fault and help of the field. */
  notes: ReactNode
}

export function PhotoField({ id, value, onChange, descriptor, describedBy, isInvalid, suggestedAlt, notes }: Props) {
  const { label, minWidth, aspectRatios = DEFAULT_ASPECT_RATIOS } = descriptor
  const [fileName, setFileName] = useState<string>()
  // A video's field sets its still image from outside, so the picture itself is compared with the one that the text described.
  const [describedPhoto, setDescribedPhoto] = useState(value)
  const isAltOutdated =
    value.foto !== describedPhoto.foto && value.alt === describedPhoto.alt && value.alt.trim() !== ''
  const sender = useFileSender('foto', descriptor, (file, name) => {
    setFileName(name)
    setKnownFile(file)
    // The focal point belonged to the old picture.
    onChange({ ...value, foto: file.ruta, foco: [50, 50] })
  })
  const { knownFile, setKnownFile, fetchFile } = useFileByPath(value.foto)
  const hasPhoto = value.foto !== ''
  // A photograph's fault is about the file or about its text.
  const isTextFault = isInvalid && isAltMissing(value)
  const isSmall = knownFile?.ancho && minWidth && knownFile.ancho < minWidth
  return (
    <div className={styles.field}>
      {hasPhoto && (
        <FocalPointInput
          key={value.foto}
          value={value}
          label={label}
          aspectRatios={aspectRatios}
          onFocalPointChange={(focalPoint) => onChange({ ...value, foco: focalPoint })}
          onView={fetchFile}
        />
      )}
      {isSmall && (
        <p className={styles.notice} role="status">
          Mide {knownFile.ancho} px de ancho; aquí hacen falta {minWidth}. Se puede usar, pero se verá borrosa: si
          tienes la original, cámbiala.
        </p>
      )}
      <FilePicker
        id={id}
        sender={sender}
        action={hasPhoto ? 'Cambiar fotografía' : 'Elegir fotografía'}
        label={label}
        hint={FILE_KINDS.foto.hint}
        describedBy={describedBy}
        isInvalid={isInvalid && !isTextFault}
        required={!descriptor.isOptional && !hasPhoto}
      >
        {notes}
      </FilePicker>
      <AltTextField
        id={`${id}-alt`}
        label={label}
        alt={value.alt}
        fileName={fileName}
        isOutdated={isAltOutdated}
        hasPhoto={hasPhoto}
        isInvalid={isTextFault}
        suggestion={suggestedAlt}
        onChange={(alt) => {
          setDescribedPhoto({ ...value, alt })
          onChange({ ...value, alt })
        }}
      />
    </div>
  )
}

interface FocalPointInputProps {
  value: PhotoValue
  label: string
  aspectRatios: { phone: number; desktop: number }
  onFocalPointChange(focalPoint: [number, number]): void
  /** Called when the picture has loaded. */
  onView(): void
}

/** Shows the whole picture, on which a tap or the arrow keys set the focal point, and its crops on a phone and a computer. */
function FocalPointInput({ value, label, aspectRatios, onFocalPointChange, onView }: FocalPointInputProps) {
  const { foto, foco } = value
  const [x, y] = foco
  const [isBroken, setIsBroken] = useState(false)
  const src = fileUrlByPath(foto, PREVIEW_WIDTH_PX)
  const helpId = useId()
  const image = useRef<HTMLImageElement>(null)
  const latestOnView = useRef(onView)
  // The picture may have loaded or failed before hydration.
  useEffect(() => {
    if (!image.current?.complete) return
    if (image.current.naturalWidth === 0) setIsBroken(true)
    else latestOnView.current()
  }, [])
  const move = (dx: number, dy: number) => onFocalPointChange([snapToStep(x + dx), snapToStep(y + dy)])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = KEY_STEPS[event.key]
    if (!step) return
    event.preventDefault()
    move(...step)
  }
  const onClick = (event: MouseEvent<HTMLButtonElement>) => {
    // A click by keyboard has no coordinates.
    if (event.detail === 0) return
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
    onFocalPointChange([
      snapToStep(((event.clientX - left) / width) * 100),
      snapToStep(((event.clientY - top) / height) * 100),
    ])
  }
  if (isBroken)
    return (
      <p className={styles.error}>
        La fotografía «{foto}» no se puede mostrar ahora. Recarga la página; si sigue así, elígela otra vez.
      </p>
    )
  return (
    <div className={styles.framing}>
      <div>
        <button
          type="button"
          className={styles.fullPicture}
          aria-label={`Punto que siempre se ve de «${label}»: ${x} % desde la izquierda, ${y} % desde arriba`}
          aria-describedby={helpId}
          onClick={onClick}
          onKeyDown={onKeyDown}
        >
          <img ref={image} src={src} alt="" onLoad={onView} onError={() => setIsBroken(true)} />
          <span
            className={styles.focalPoint}
            ref={(element) => {
              element?.style.setProperty('left', `${x}%`)
              element?.style.setProperty('top', `${y}%`)
            }}
          />
        </button>
        <p className={styles.hint} id={helpId}>
          Toca lo que siempre debe verse, por ejemplo la cara. Con teclado, muévelo con las flechas.
        </p>
      </div>
      <div className={styles.crops}>
        <CropPreview src={src} focalPoint={foco} aspectRatio={aspectRatios.phone} caption="En el teléfono" />
        <CropPreview src={src} focalPoint={foco} aspectRatio={aspectRatios.desktop} caption="En la computadora" />
      </div>
    </div>
  )
}

interface CropPreviewProps {
  src: string
  focalPoint: [number, number]
  aspectRatio: number
  caption: string
}

const CropPreview = ({ src, focalPoint: [x, y], aspectRatio, caption }: CropPreviewProps) => (
  <figure className={styles.crop}>
    <img
      src={src}
      alt=""
      // The content security policy forbids inline styles in the document; a script may set them.
      ref={(element) => {
        element?.style.setProperty('aspect-ratio', String(aspectRatio))
        element?.style.setProperty('object-position', `${x}% ${y}%`)
      }}
    />
    <figcaption>{caption}</figcaption>
  </figure>
)

interface AltTextFieldProps {
  id: string
  label: string
  alt: string
  fileName: string | undefined
  /** Whether the text was written for an earlier picture, so that the editor shall check it. */
  isOutdated: boolean
  hasPhoto: boolean
  /** Whether the form reports the text as missing. */
  isInvalid: boolean | undefined
  suggestion: string | undefined
  onChange(alt: string): void
}

function AltTextField(props: AltTextFieldProps) {
  const { id, label, alt, fileName, isOutdated, hasPhoto, isInvalid, suggestion, onChange } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const [isTouched, setIsTouched] = useState(alt !== '')
  const problem = isInvalid || (hasPhoto && isTouched) ? altTextFault(alt, fileName) : undefined
  return (
    <div className={styles.altText}>
      <p className={styles.labelRow}>
        <label htmlFor={id}>Texto alternativo</label>
        {hasPhoto && alt.trim() === '' && <RequiredMark />}
      </p>
      <textarea
        id={id}
        ref={area}
        className={styles.area}
        rows={2}
        maxLength={MAX_ALT_CHARACTERS}
        aria-label={`Texto alternativo: ${label}`}
        aria-describedby={`${id}-reparo ${id}-pista`}
        required={hasPhoto}
        aria-invalid={problem !== undefined || undefined}
        value={alt}
        onChange={({ target }) => onChange(target.value)}
        onBlur={() => setIsTouched(hasPhoto)}
      />
      <p className={styles.remarks} id={`${id}-reparo`} aria-live="polite">
        {problem && <span className={styles.error}>{problem}</span>}
        {isOutdated && !problem && (
          <span className={styles.notice}>La fotografía cambió: revisa que este texto diga lo que ahora se ve.</span>
        )}
      </p>
      {hasPhoto && suggestion && alt === '' && (
        <p className={styles.buttons}>
          <Button
            look="outline"
            onClick={() => {
              onChange(suggestion)
              area.current?.focus()
            }}
          >
            Usar «{suggestion}»<span className="visually-hidden"> como texto alternativo: {label}</span>
          </Button>
        </p>
      )}
      <p className={styles.hint} id={`${id}-pista`}>
        Di qué se ve, para quien no puede verla. Por ejemplo: «La reina saluda desde el carro alegórico, con corona y
        banda».
      </p>
    </div>
  )
}
