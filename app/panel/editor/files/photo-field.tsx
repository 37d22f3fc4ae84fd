import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { MAX_ALTERNATIVO, reparoDeAlternativo } from '#app/cms/media/alt-text.ts'
import { CLASES_DE_ARCHIVO } from '#app/cms/media/file-rules.ts'
import { unir } from '#app/ui/styles/class-names.ts'
import type { PropsDeArchivo, ValorDeFoto } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { ElegirArchivo } from './file-picker.tsx'
import { direccionDeRuta } from './upload-protocol.ts'
import { useArchivoDeRuta } from './use-file-by-path.ts'
import { useEnvioDeArchivo } from './use-send-file.ts'

/** Percent that a key moves the point, and that the site goes in. */
const PASO = 5
const enPasos = (percent: number) => Math.min(100, Math.max(0, Math.round(percent / PASO) * PASO))
const TECLAS: Record<string, [number, number]> = {
  ArrowLeft: [-PASO, 0],
  ArrowRight: [PASO, 0],
  ArrowUp: [0, -PASO],
  ArrowDown: [0, PASO],
}
const ANCHO_DE_VISTA = 960
const PROPORCIONES = { telefono: 4 / 5, escritorio: 16 / 9 }

/** A photograph: the file, the point that stays in view, and what is seen in it. */
export function CampoFoto({ id, valor, onCambio, descriptor, describedBy, invalid }: PropsDeArchivo<ValorDeFoto>) {
  const { etiqueta, minimoAncho, proporciones = PROPORCIONES } = descriptor
  const [nombre, setNombre] = useState<string>()
  const [isNew, setIsNew] = useState(false)
  const envio = useEnvioDeArchivo('foto', descriptor, (archivo, name) => {
    setNombre(name)
    setIsNew(valor.alt.trim() !== '')
    conocer(archivo)
    // The point of another picture means nothing on this one.
    onCambio({ ...valor, foto: archivo.ruta, foco: [50, 50] })
  })
  const { archivo, conocer, mirar } = useArchivoDeRuta(valor.foto)
  const hasPhoto = valor.foto !== ''
  const isSmall = archivo?.ancho && minimoAncho && archivo.ancho < minimoAncho
  return (
    <div className={styles.campo}>
      {hasPhoto && (
        <Encuadre
          key={valor.foto}
          valor={valor}
          etiqueta={etiqueta}
          proporciones={proporciones}
          onFoco={(foco) => onCambio({ ...valor, foco })}
          onVista={mirar}
        />
      )}
      {isSmall && (
        <p className={styles.aviso} role="status">
          Mide {archivo.ancho} px de ancho; aquí hacen falta {minimoAncho}. Se puede usar, pero se verá borrosa: si
          tienes la original, cámbiala.
        </p>
      )}
      <ElegirArchivo
        id={id}
        envio={envio}
        accion={hasPhoto ? 'Cambiar fotografía' : 'Elegir fotografía'}
        etiqueta={etiqueta}
        pista={CLASES_DE_ARCHIVO.foto.pista}
        describedBy={describedBy}
        invalid={invalid}
      />
      <Alternativo
        id={`${id}-alt`}
        etiqueta={etiqueta}
        alt={valor.alt}
        nombre={nombre}
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

interface EncuadreProps {
  valor: ValorDeFoto
  etiqueta: string
  proporciones: { telefono: number; escritorio: number }
  onFoco(foco: [number, number]): void
  /** The picture is on the screen. */
  onVista(): void
}

/** The whole picture with its point, and what each screen shows of it. */
function Encuadre({ valor, etiqueta, proporciones, onFoco, onVista }: EncuadreProps) {
  const { foto, foco } = valor
  const [x, y] = foco
  const [isLost, setIsLost] = useState(false)
  const src = direccionDeRuta(foto, ANCHO_DE_VISTA)
  const ayuda = useId()
  const picture = useRef<HTMLImageElement>(null)
  const seen = useRef(onVista)
  // It may have come, or failed, before this script.
  useEffect(() => {
    if (!picture.current?.complete) return
    if (picture.current.naturalWidth === 0) setIsLost(true)
    else seen.current()
  }, [])
  const move = (dx: number, dy: number) => onFoco([enPasos(x + dx), enPasos(y + dy)])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = TECLAS[event.key]
    if (!step) return
    event.preventDefault()
    move(...step)
  }
  const onClick = (event: MouseEvent<HTMLButtonElement>) => {
    // Enter and the space bar have no place.
    if (event.detail === 0) return
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
    onFoco([enPasos(((event.clientX - left) / width) * 100), enPasos(((event.clientY - top) / height) * 100)])
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
          aria-describedby={ayuda}
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
        <p className={styles.pista} id={ayuda}>
          Toca lo que siempre debe verse, por ejemplo la cara. Con teclado, muévelo con las flechas.
        </p>
      </div>
      <div className={styles.cortes}>
        <Corte src={src} foco={foco} proporcion={proporciones.telefono} pie="En el teléfono" />
        <Corte src={src} foco={foco} proporcion={proporciones.escritorio} pie="En la computadora" />
      </div>
    </div>
  )
}

interface CorteProps {
  src: string
  foco: [number, number]
  proporcion: number
  pie: string
}

/** What a screen's frame shows of a picture. */
const Corte = ({ src, foco: [x, y], proporcion, pie }: CorteProps) => (
  <figure className={styles.corte}>
    <img
      src={src}
      alt=""
      // The policy allows no inline style in a document; a script may set one.
      ref={(element) => {
        element?.style.setProperty('aspect-ratio', String(proporcion))
        element?.style.setProperty('object-position', `${x}% ${y}%`)
      }}
    />
    <figcaption>{pie}</figcaption>
  </figure>
)

interface AlternativoProps {
  id: string
  etiqueta: string
  alt: string
  nombre: string | undefined
  /** Whether the picture is another one than it was written for. */
  isNew: boolean
  isAsked: boolean
  onCambio(alt: string): void
}

/** What is seen, for whoever does not see it. */
function Alternativo({ id, etiqueta, alt, nombre, isNew, isAsked, onCambio }: AlternativoProps) {
  const [isTouched, setIsTouched] = useState(alt !== '')
  const reparo = isAsked && isTouched ? reparoDeAlternativo(alt, nombre) : undefined
  return (
    <div className={styles.alternativo}>
      <label htmlFor={id}>Texto alternativo</label>
      <textarea
        id={id}
        className={unir(styles.area)}
        rows={2}
        maxLength={MAX_ALTERNATIVO}
        aria-label={`Texto alternativo: ${etiqueta}`}
        aria-describedby={`${id}-pista ${id}-reparo`}
        aria-invalid={reparo !== undefined || undefined}
        value={alt}
        onChange={({ target }) => onCambio(target.value)}
        onBlur={() => setIsTouched(true)}
      />
      <p className={styles.reparo} id={`${id}-reparo`} aria-live="polite">
        {reparo && <span className={styles.mal}>{reparo}</span>}
        {isNew && !reparo && (
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
