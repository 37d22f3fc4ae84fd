import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { when } from '#app/core/time/mexico-dates.ts'
import { documentName, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { EntryDocument } from '#app/entries/schema.ts'
import { viewSearch } from '#app/panel/rules.ts'
import { Enlace, STILL } from '#app/ui/links/link.tsx'
import { useSwipe } from '#app/ui/motion/swipe.ts'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import wait from './loading-sheet.module.css'
import styles from './viewer.module.css'
import { ZoomableImage } from './zoomable-image.tsx'

/** A document with the address that opens it in this session; undefined where the account may not see it. */
export interface ViewableDocument extends EntryDocument {
  direccion: string | undefined
}

interface Props {
  /** The current documents, then the replaced ones. */
  documentos: ViewableDocument[]
  ahora: Date
}

/** The document that the query opens. */
export function useOpenDocument(documents: readonly ViewableDocument[]): ViewableDocument | undefined {
  const { search } = useLocation()
  const view = new URLSearchParams(search).get('ver')
  return view === 'primero'
    ? documents.find(({ direccion, clase }) => direccion && !kindOf(clase).esReservado)
    : documents.find(({ id, direccion }) => direccion && String(id) === view)
}

/** An entry's documents as thumbnails, and one of them open. Each opening is a line of the audit log. */
export function Visor({ documentos, ahora }: Props) {
  const { search } = useLocation()
  const openDocument = useOpenDocument(documentos)
  const isShown = new URLSearchParams(search).get('mostrar') === 'si'
  return (
    <>
      <ul className={styles.documentos} data-ajustada={openDocument ? '' : undefined}>
        {documentos.map((one) => (
          <li key={one.id} className={one.reemplazadoAt ? styles.anterior : undefined}>
            <Thumbnail documento={one} />
            {one.direccion ? (
              <View documento={one} isOpen={one.id === openDocument?.id} isFirst={!openDocument}>
                {documentName(one.clase, one.lado)}
              </View>
            ) : (
              <span>{documentName(one.clase, one.lado)}</span>
            )}
            {one.reemplazadoAt && <small>reemplazado {when(one.reemplazadoAt, ahora)}</small>}
            {!one.direccion && <small>tu cuenta no la ve</small>}
          </li>
        ))}
      </ul>
      {openDocument ? (
        <OpenDocument key={openDocument.id} documento={openDocument} documentos={documentos} isShown={isShown} />
      ) : (
        <p className={styles.nada}>Elige un documento para verlo. Cada vez que se abre uno queda en la bitácora.</p>
      )}
    </>
  )
}

interface OpenDocumentProps {
  documento: ViewableDocument
  documentos: readonly ViewableDocument[]
  /** Whether the organiser confirmed to see a reserved document. */
  isShown: boolean
}

function OpenDocument({ documento, documentos, isShown }: OpenDocumentProps) {
  const { search } = useLocation()
  const navigate = useNavigate()
  const figure = useRef<HTMLElement>(null)
  const scene = useRef<HTMLDivElement>(null)
  const { clase, lado, direccion = '', nombreArchivo, bytes } = documento
  const name = documentName(clase, lado)
  const viewable = documentos.filter(({ reemplazadoAt, direccion }) => direccion && !reemplazadoAt)
  const at = viewable.findIndex(({ id }) => id === documento.id)
  const [before, after] = at < 0 ? [] : [viewable[at - 1], viewable[at + 1]]
  const isHidden = kindOf(clase).esReservado && !isShown

  // The opened document takes the focus and scrolls into view, wherever its tile is.
  useEffect(() => {
    figure.current?.focus({ preventScroll: true })
    figure.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  useSwipe(scene, (by) => {
    const next = by < 0 ? before : after
    if (next && !scene.current?.querySelector('[data-ampliada]'))
      navigate(viewSearch(search, next.id), { replace: true, preventScrollReset: true, state: STILL })
  })

  return (
    <figure className={styles.visor} ref={figure} tabIndex={-1} data-visor="" id="visor" aria-label={name}>
      <figcaption>
        <b>{name}</b>{' '}
        <span>
          {nombreArchivo} · {size(bytes)}
        </span>
        <Enlace to={viewSearch(search)} state={STILL} replace className={styles.cerrar} data-tecla="Escape">
          Cerrar
        </Enlace>
      </figcaption>
      <div ref={scene} className={styles.escena}>
        {isHidden ? (
          <div className={styles.aviso}>
            <p>Es la fotografía en traje de baño. Ábrela sólo si la necesitas para evaluar.</p>
            <Enlace
              to={viewSearch(search, documento.id, true)}
              state={STILL}
              replace
              className={buttonLook('outline')}
              data-tecla="Enter"
            >
              Mostrar la fotografía
            </Enlace>
          </div>
        ) : esPdf(documento) ? (
          <Pdf direccion={direccion} nombre={name} />
        ) : (
          <ZoomableImage
            src={direccion}
            alt={`${name}, en grande`}
            miniatura={kindOf(clase).esReservado ? undefined : `${direccion}&tamano=miniatura`}
          />
        )}
      </div>
      <p className={styles.pasos}>
        {before ? (
          <View documento={before} tecla="ArrowLeft">
            <span>Anterior</span>
            <small>: {documentName(before.clase, before.lado)}</small>
          </View>
        ) : (
          <span />
        )}
        {!isHidden && (
          <a href={`${direccion}&bajar=si`} className={styles.bajar}>
            Descargar{kindOf(clase).esDeIdentidad && <small> con la marca «solo para este certamen»</small>}
          </a>
        )}
        {after ? (
          <View documento={after} tecla="ArrowRight">
            <span>Siguiente</span>
            <small>: {documentName(after.clase, after.lado)}</small>
          </View>
        ) : (
          <span />
        )}
      </p>
    </figure>
  )
}

const esPdf = ({ contentType }: EntryDocument) => contentType === 'application/pdf'

/** A thumbnail too small to read, so that showing it counts as no opening (0028). */
function Thumbnail({ documento }: { documento: ViewableDocument }) {
  const { clase, direccion, contentType } = documento
  const [isBroken, setBroken] = useState(false)
  const picture = useRef<HTMLImageElement>(null)
  // The picture may have failed before hydration.
  useEffect(() => {
    if (picture.current?.complete && picture.current.naturalWidth === 0) setBroken(true)
  }, [])
  const isPicture = direccion && contentType.startsWith('image/') && !kindOf(clase).esReservado && !isBroken
  return (
    <span className={joinClasses(styles.miniatura, styles[isPicture ? 'foto' : 'hoja'])} aria-hidden="true">
      {isPicture ? (
        <img
          ref={picture}
          src={`${direccion}&tamano=miniatura`}
          alt=""
          loading="lazy"
          onError={() => setBroken(true)}
          draggable={false}
        />
      ) : (
        <b>{kindOf(clase).esReservado ? 'Reservada' : contentType === 'application/pdf' ? 'PDF' : 'No se ve'}</b>
      )}
    </span>
  )
}

interface ViewProps {
  documento: EntryDocument
  isOpen?: boolean
  /** Whether no document is open yet; Back then closes this one. */
  isFirst?: boolean
  tecla?: string
  children: ReactNode
}

/** A PDF's frame needs the panel's content security policy; a document that began outside the panel reloads first. */
function View({ documento, isOpen, isFirst = false, tecla, children }: ViewProps) {
  const { search } = useLocation()
  const [beganElsewhere, setElsewhere] = useState(true)
  useEffect(() => {
    const [began] = performance.getEntriesByType('navigation')
    setElsewhere(!began || !new URL(began.name).pathname.startsWith('/organizadores'))
  }, [])
  const isReload = esPdf(documento) && beganElsewhere
  return (
    <Enlace
      to={`${viewSearch(search, documento.id)}${isReload ? '#visor' : ''}`}
      aria-current={isOpen ? 'true' : undefined}
      state={STILL}
      replace={!isFirst}
      reloadDocument={isReload}
      data-tecla={tecla}
    >
      {children}
    </Enlace>
  )
}

function Pdf({ direccion, nombre }: { direccion: string; nombre: string }) {
  const [loaded, setLoaded] = useState<string>()
  return (
    <div className={styles.conPdf}>
      <iframe
        className={joinClasses(styles.pdf, loaded !== direccion && wait.hoja)}
        // A hidden frame loads nothing, so no opening is logged.
        loading="lazy"
        src={`${direccion}#pagemode=none&navpanes=0&view=FitH`}
        title={`${nombre}, en PDF`}
        onLoad={() => setLoaded(direccion)}
      />
      <a href={direccion} target="_blank" rel="noreferrer" className={buttonLook('outline')}>
        Abrir el PDF en otra pestaña
      </a>
    </div>
  )
}

const size = (bytes: number) =>
  bytes < 1_048_576 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
