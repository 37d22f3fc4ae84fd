import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { formatFileSize } from '#app/core/text/file-size.ts'
import { formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { documentName, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { EntryDocument } from '#app/entries/schema.ts'
import { viewSearch } from '#app/panel/rules.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { useSwipe } from '#app/ui/motion/swipe.ts'
import { KEEP_SCROLL, Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import sheetStyles from './loading-sheet.module.css'
import styles from './viewer.module.css'
import { ZoomableImage } from './zoomable-image.tsx'

/** `address` opens the document in this session; it is undefined where the account may not see the document. */
export interface ViewableDocument extends EntryDocument {
  address: string | undefined
}

interface Props {
  /** The current documents come first, then the replaced documents. */
  documents: ViewableDocument[]
  now: Date
}

/** Returns the document that the query opens; `ver=primero` opens the first that is not reserved. */
export function useOpenDocument(documents: readonly ViewableDocument[]): ViewableDocument | undefined {
  const { search } = useLocation()
  const wantedId = new URLSearchParams(search).get('ver')
  return wantedId === 'primero'
    ? documents.find(({ address, clase }) => address && !kindOf(clase).isReserved)
    : documents.find(({ id, address }) => address && String(id) === wantedId)
}

/** Shows an entry's documents as thumbnails, and one of them open. Each opening is a line of the audit log. */
export function DocumentViewer({ documents, now }: Props) {
  const { search } = useLocation()
  const openDocument = useOpenDocument(documents)
  const isShown = new URLSearchParams(search).get('mostrar') === 'si'
  return (
    <>
      <ul className={styles.documents}>
        {documents.map((one) => (
          <li key={one.id} className={one.replacedAt ? styles.previous : undefined}>
            <Thumbnail entryDocument={one} />
            {one.address ? (
              <DocumentLink entryDocument={one} isOpen={one.id === openDocument?.id} isFirst={!openDocument}>
                {documentName(one.clase, one.lado)}
              </DocumentLink>
            ) : (
              <span>{documentName(one.clase, one.lado)}</span>
            )}
            {one.replacedAt && <small>reemplazado {formatPastMoment(one.replacedAt, now)}</small>}
            {!one.address && <small>tu cuenta no la ve</small>}
          </li>
        ))}
      </ul>
      {openDocument ? (
        <OpenDocument key={openDocument.id} entryDocument={openDocument} documents={documents} isShown={isShown} />
      ) : (
        <p className={styles.nothing}>Elige un documento para verlo. Cada vez que se abre uno queda en la bitácora.</p>
      )}
    </>
  )
}

interface OpenDocumentProps {
  entryDocument: ViewableDocument
  documents: readonly ViewableDocument[]
  /** The organiser confirmed that she wants to see a reserved document. */
  isShown: boolean
}

function OpenDocument({ entryDocument, documents, isShown }: OpenDocumentProps) {
  const { search } = useLocation()
  const navigate = useNavigate()
  const figure = useRef<HTMLElement>(null)
  const scene = useRef<HTMLDivElement>(null)
  const { clase, lado, address = '', fileName, byteCount } = entryDocument
  const name = documentName(clase, lado)
  const viewableDocuments = documents.filter(({ replacedAt, address }) => address && !replacedAt)
  const at = viewableDocuments.findIndex(({ id }) => id === entryDocument.id)
  const [before, after] = at < 0 ? [] : [viewableDocuments[at - 1], viewableDocuments[at + 1]]
  const isHidden = kindOf(clase).isReserved && !isShown

  // The opened document takes the focus and is scrolled into view, wherever its tile is.
  useEffect(() => {
    figure.current?.focus({ preventScroll: true })
    figure.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  useSwipe(scene, (by) => {
    const next = by < 0 ? before : after
    if (next && !scene.current?.querySelector('[data-zoomed]'))
      navigate(viewSearch(search, next.id), { replace: true, preventScrollReset: true, state: KEEP_SCROLL })
  })

  return (
    <figure className={styles.viewer} ref={figure} tabIndex={-1} data-viewer="" id="visor" aria-label={name}>
      <figcaption>
        <b>{name}</b>{' '}
        <span>
          {fileName} · {formatFileSize(byteCount)}
        </span>
        <Link to={viewSearch(search)} state={KEEP_SCROLL} replace className={styles.close} data-shortcut="Escape">
          Cerrar
        </Link>
      </figcaption>
      <div ref={scene} className={styles.scene}>
        {isHidden ? (
          <div className={styles.notice}>
            <p>Es la fotografía en traje de baño. Ábrela sólo si la necesitas para evaluar.</p>
            <Link
              to={viewSearch(search, entryDocument.id, true)}
              state={KEEP_SCROLL}
              replace
              className={buttonLook('outline')}
              data-shortcut="Enter"
            >
              Mostrar la fotografía
            </Link>
          </div>
        ) : isPdf(entryDocument) ? (
          <Pdf address={address} name={name} />
        ) : (
          <ZoomableImage
            src={address}
            alt={`${name}, en grande`}
            thumbnail={kindOf(clase).isReserved ? undefined : `${address}&tamano=miniatura`}
          />
        )}
      </div>
      <p className={styles.steps}>
        {before ? (
          <DocumentLink entryDocument={before} shortcut="ArrowLeft">
            <span>Anterior</span>
            <small>: {documentName(before.clase, before.lado)}</small>
          </DocumentLink>
        ) : (
          <span />
        )}
        {!isHidden && (
          <a href={`${address}&bajar=si`}>
            Descargar{kindOf(clase).isIdentity && <small> con la marca «solo para este certamen»</small>}
          </a>
        )}
        {after ? (
          <DocumentLink entryDocument={after} shortcut="ArrowRight">
            <span>Siguiente</span>
            <small>: {documentName(after.clase, after.lado)}</small>
          </DocumentLink>
        ) : (
          <span />
        )}
      </p>
    </figure>
  )
}

const isPdf = ({ contentType }: EntryDocument) => contentType === 'application/pdf'

/** Shows a thumbnail that is too small to read, so that no opening is logged (0028). */
function Thumbnail({ entryDocument }: { entryDocument: ViewableDocument }) {
  const { clase, address, contentType } = entryDocument
  const [isBroken, setBroken] = useState(false)
  const picture = useRef<HTMLImageElement>(null)
  // The picture may have failed before hydration.
  useEffect(() => {
    if (picture.current?.complete && picture.current.naturalWidth === 0) setBroken(true)
  }, [])
  const isPicture = address && contentType.startsWith('image/') && !kindOf(clase).isReserved && !isBroken
  return (
    <span className={styles.thumbnail} aria-hidden="true">
      {isPicture ? (
        <img
          ref={picture}
          src={`${address}&tamano=miniatura`}
          alt=""
          loading="lazy"
          onError={() => setBroken(true)}
          draggable={false}
        />
      ) : (
        <b>{kindOf(clase).isReserved ? 'Reservada' : contentType === 'application/pdf' ? 'PDF' : 'No se ve'}</b>
      )}
    </span>
  )
}

interface ViewProps {
  entryDocument: EntryDocument
  isOpen?: boolean
  /** No document is open yet, so Back will close the document that this link opens. */
  isFirst?: boolean
  shortcut?: string
  children: ReactNode
}

/** Links to a document. A PDF's frame needs the panel's policy, so a page that began outside the panel reloads first. */
function DocumentLink({ entryDocument, isOpen, isFirst = false, shortcut, children }: ViewProps) {
  const { search } = useLocation()
  const [hasBegunElsewhere, setHasBegunElsewhere] = useState(true)
  useEffect(() => {
    const [navigationEntry] = performance.getEntriesByType('navigation')
    setHasBegunElsewhere(!navigationEntry || !new URL(navigationEntry.name).pathname.startsWith('/organizadores'))
  }, [])
  const isReload = isPdf(entryDocument) && hasBegunElsewhere
  return (
    <Link
      to={`${viewSearch(search, entryDocument.id)}${isReload ? '#visor' : ''}`}
      aria-current={isOpen ? 'true' : undefined}
      state={KEEP_SCROLL}
      replace={!isFirst}
      reloadDocument={isReload}
      data-shortcut={shortcut}
    >
      {children}
    </Link>
  )
}

function Pdf({ address, name }: { address: string; name: string }) {
  const [loadedAddress, setLoadedAddress] = useState<string>()
  return (
    <div className={styles.withPdf}>
      <iframe
        className={joinClasses(styles.pdf, loadedAddress !== address && sheetStyles.sheet)}
        // A hidden frame must load nothing, so that no opening is logged.
        loading="lazy"
        src={`${address}#pagemode=none&navpanes=0&view=FitH`}
        title={`${name}, en PDF`}
        onLoad={() => setLoadedAddress(address)}
      />
      <a href={address} target="_blank" rel="noreferrer" className={buttonLook('outline')}>
        Abrir el PDF en otra pestaña
      </a>
    </div>
  )
}
