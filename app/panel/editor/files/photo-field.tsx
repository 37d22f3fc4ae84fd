import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { altTextFault, MAX_ALT_CHARACTERS } from '#app/cms/media/alt-text.ts'
import { FILE_KINDS } from '#app/cms/media/file-rules.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { FileFieldProps, PhotoValue } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { fileAddressByPath } from './upload-protocol.ts'
import { useFileByPath } from './use-file-by-path.ts'
import { useSendFile } from './use-send-file.ts'

/** Step of the focal point in percent, for arrow keys and for snapping. */
const STEP = 5
const snapToStep = (percent: number) => Math.min(100, Math.max(0, Math.round(percent / STEP) * STEP))
const KEY_BINDINGS: Record<string, [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}
const PREVIEW_WIDTH = 960
const DEFAULT_ASPECT_RATIOS = { telefono: 4 / 5, escritorio: 16 / 9 }

/** A photograph: the file, its focal point and its alternative text. */
export function PhotoField({ id, valor, onCambio, descriptor, describedBy, invalid }: FileFieldProps<PhotoValue>) {
  const { etiqueta, minimoAncho, proporciones = DEFAULT_ASPECT_RATIOS } = descriptor
  const [name, setNombre] = useState<string>()
  const [isNew, setIsNew] = useState(false)
  const sending = useSendFile('foto', descriptor, (file, name) => {
    setNombre(name)
    setIsNew(valor.alt.trim() !== '')
    conocer(file)
    // The old picture's focal point means nothing on the new one.
    onCambio({ ...valor, foto: file.ruta, foco: [50, 50] })
  })
  const { archivo, conocer, mirar } = useFileByPath(valor.foto)
  const hasPhoto = valor.foto !== ''
  const isSmall = archivo?.ancho && minimoAncho && archivo.ancho < minimoAncho
  return (
    <div className={styles.campo}>
      {hasPhoto && (
        <FramedPhoto
          key={valor.foto}
          valor={valor}
          etiqueta={etiqueta}
          proporciones={proporciones}
          onFoco={(focalPoint) => onCambio({ ...valor, foco: focalPoint })}
          onVista={mirar}
        />
      )}
      {isSmall && (
        <p className={styles.aviso} role="status">
          Mide {archivo.ancho} px de ancho; aquí hacen falta {minimoAncho}. Se puede usar, pero se verá borrosa: si
          tienes la original, cámbiala.
        </p>
      )}
      <FilePicker
        id={id}
        envio={sending}
        accion={hasPhoto ? 'Cambiar fotografía' : 'Elegir fotografía'}
        etiqueta={etiqueta}
        pista={FILE_KINDS.foto.pista}
        describedBy={describedBy}
        invalid={invalid}
      />
      <AltTextField
        id={`${id}-alt`}
        etiqueta={etiqueta}
        alt={valor.alt}
        nombre={name}
        isNew={isNew}
        isAsked={hasPhoto}
        onCambio={(alt) => {
          setIsNew(false)
          onCambio({ ...valor, alt })
        }}
      />
    </div>
  )
}

interface FramingProps {
  valor: PhotoValue
  etiqueta: string
  proporciones: { telefono: number; escritorio: number }
  onFoco(focalPoint: [number, number]): void
  /** Called once the picture is on the screen. */
  onVista(): void
}

/** The whole picture with its focal point, and its crop on each screen. */
function FramedPhoto({ valor, etiqueta, proporciones, onFoco, onVista }: FramingProps) {
  const { foto, foco } = valor
  const [x, y] = foco
  const [isLost, setIsLost] = useState(false)
  const src = fileAddressByPath(foto, PREVIEW_WIDTH)
  const help = useId()
  const picture = useRef<HTMLImageElement>(null)
  const seen = useRef(onVista)
  // The picture may have loaded or failed before hydration.
  useEffect(() => {
    if (!picture.current?.complete) return
    if (picture.current.naturalWidth === 0) setIsLost(true)
    else seen.current()
  }, [])
  const move = (dx: number, dy: number) => onFoco([snapToStep(x + dx), snapToStep(y + dy)])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = KEY_BINDINGS[event.key]
    if (!step) return
    event.preventDefault()
    move(...step)
  }
  const onClick = (event: MouseEvent<HTMLButtonElement>) => {
    // A click by keyboard has no coordinates.
    if (event.detail === 0) return
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
    onFoco([snapToStep(((event.clientX - left) / width) * 100), snapToStep(((event.clientY - top) / height) * 100)])
  }
  if (isLost)
    return (
      <p className={styles.mal}>
        La fotografía «{foto}» no se puede mostrar ahora. Recarga la página; si sigue así, elígela otra vez.
      </p>
    )
  return (
    <div className={styles.encuadre}>
      <div>
        <button
          type="button"
          className={styles.entera}
          aria-label={`Punto que siempre se ve de «${etiqueta}»: ${x} % desde la izquierda, ${y} % desde arriba`}
          aria-describedby={help}
          onClick={onClick}
          onKeyDown={onKeyDown}
        >
          <img ref={picture} src={src} alt="" onLoad={onVista} onError={() => setIsLost(true)} />
          <span
            className={styles.punto}
            ref={(element) => {
              element?.style.setProperty('left', `${x}%`)
              element?.style.setProperty('top', `${y}%`)
            }}
          />
        </button>
        <p className={styles.pista} id={help}>
          Toca lo que siempre debe verse, por ejemplo la cara. Con teclado, muévelo con las flechas.
        </p>
      </div>
      <div className={styles.cortes}>
        <CropPreview src={src} foco={foco} proporcion={proporciones.telefono} pie="En el teléfono" />
        <CropPreview src={src} foco={foco} proporcion={proporciones.escritorio} pie="En la computadora" />
      </div>
    </div>
  )
}

interface CropPreviewProps {
  src: string
  foco: [number, number]
  proporcion: number
  pie: string
}

/** The crop of a picture in a screen's frame. */
const CropPreview = ({ src, foco: [x, y], proporcion, pie }: CropPreviewProps) => (
  <figure className={styles.corte}>
    <img
      src={src}
      alt=""
      // The content security policy forbids inline styles in the document; a script may set them.
      ref={(element) => {
        element?.style.setProperty('aspect-ratio', String(proporcion))
        element?.style.setProperty('object-position', `${x}% ${y}%`)
      }}
    />
    <figcaption>{pie}</figcaption>
  </figure>
)

interface AltTextFieldProps {
  id: string
  etiqueta: string
  alt: string
  nombre: string | undefined
  /** Whether the text was written for an earlier picture. */
  isNew: boolean
  isAsked: boolean
  onCambio(alt: string): void
}

/** The alternative text of a photograph. */
function AltTextField({ id, etiqueta, alt, nombre, isNew, isAsked, onCambio }: AltTextFieldProps) {
  const [isTouched, setIsTouched] = useState(alt !== '')
  const problem = isAsked && isTouched ? altTextFault(alt, nombre) : undefined
  return (
    <div className={styles.alternativo}>
      <label htmlFor={id}>Texto alternativo</label>
      <textarea
        id={id}
        className={joinClasses(styles.area)}
        rows={2}
        maxLength={MAX_ALT_CHARACTERS}
        aria-label={`Texto alternativo: ${etiqueta}`}
        aria-describedby={`${id}-pista ${id}-reparo`}
        aria-invalid={problem !== undefined || undefined}
        value={alt}
        onChange={({ target }) => onCambio(target.value)}
        onBlur={() => setIsTouched(true)}
      />
      <p className={styles.reparo} id={`${id}-reparo`} aria-live="polite">
        {problem && <span className={styles.mal}>{problem}</span>}
        {isNew && !problem && (
          <span className={styles.aviso}>La fotografía cambió: revisa que este texto diga lo que ahora se ve.</span>
        )}
      </p>
      <p className={styles.pista} id={`${id}-pista`}>
        Di qué se ve, para quien no puede verla. Por ejemplo: «La reina saluda desde el carro alegórico, con corona y
        banda».
      </p>
    </div>
  )
}
