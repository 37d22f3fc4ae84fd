import { useEffect, useRef, useState } from 'react'
import { withStorageTimeout } from '#app/core/browser-resilience/storage-timeout.ts'
import { formatTimeAgo } from '#app/core/time/mexico-dates.ts'
import { dropUpload } from '#app/core/uploads/drop-upload.client.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import { Button } from '#app/ui/components/button.tsx'
import { type Draft, discardDraft, isOfThisTab, loadFiles, sweepAndFindDraft } from './draft-store.client.ts'
import { documentsOf, type FormStart } from './initial-state.ts'
import styles from './resume-draft.module.css'

interface Props {
  type: EntryType
  /** The form on the screen saves its own draft under this submission id. */
  submissionId: string
  /** Reads the fields of the form on the screen that are not empty. */
  readTyped(): Readonly<Record<string, string>>
  /** Returns whether this tab may resume its own draft without asking. */
  mayGoOn(): boolean
  /** Starts the form anew from the draft. @param unasked true where the entrant pressed no button */
  onGoOn(start: FormStart, unasked: boolean): void
}

/** Says above a form that the form was resumed from a draft. */
export const ResumedDraft = ({ onDiscard }: { onDiscard: (() => void) | undefined }) => (
  <div className={styles.resumed}>
    <p>Aquí sigue tu registro, como lo dejaste. Está guardado sólo en este dispositivo, por un día.</p>
    <Button look="outline" onClick={onDiscard}>
      Empezar de nuevo
    </Button>
  </div>
)

/** Looks for the form's draft on this device; resumes the tab's own draft, and offers any other. */
export function ResumeDraft({ type, submissionId, readTyped, mayGoOn, onGoOn }: Props) {
  const [offer, setOffer] = useState<{ draft: Draft; start: FormStart }>()
  useEffect(() => {
    let isUnmounted = false
    void sweepAndFindDraft(type).then(async (found) => {
      if (isUnmounted || !found) return
      const start = await startFromDraft(found)
      if (isUnmounted) return
      const early = readTyped()
      if (!mayGoOn() || !isOfThisTab(found) || !isSame(early, found.valores)) return setOffer({ draft: found, start })
      onGoOn({ ...start, values: { ...start.values, ...early }, isResumed: true }, true)
      // With a slow store the form may have saved a draft first, whose values the resumed draft has now.
      if (submissionId !== found.entrega) void discardDraft(submissionId)
    })
    return () => {
      isUnmounted = true
    }
  }, [])

  async function goOn({ draft, start }: NonNullable<typeof offer>) {
    const latest = await withStorageTimeout(startFromDraft(draft), start)
    setOffer(undefined)
    onGoOn(latest, false)
  }

  function discard(draft: Draft) {
    void discardDraft(draft.entrega)
    for (const { url } of draft.archivos) dropUpload(draft.entrega, url)
    setOffer(undefined)
  }

  return offer && <Offer {...offer} onGoOn={() => void goOn(offer)} onDiscard={() => discard(offer.draft)} />
}

/** Returns whether typed values agree with the draft, which may lag behind by the last letters. */
const isSame = (typed: Readonly<Record<string, string>>, draftValues: Readonly<Record<string, string>>) =>
  Object.entries(typed).every(([field, now]) => {
    const before = draftValues[field] ?? ''
    return now.startsWith(before) || before.startsWith(now)
  })

const NOT_SAVED_MESSAGE = 'Este archivo no quedó guardado en tu dispositivo: elígelo otra vez.'

async function startFromDraft(draft: Draft): Promise<FormStart> {
  const files = await loadFiles(draft)
  // The browser loses a file when the device is full, or the page goes away in the moment of the choice.
  const lostKinds = new Set(draft.archivos.flatMap(({ id, clase }) => (files.has(id) ? [] : [clase])))
  const documents = documentsOf((kind) =>
    draft.archivos.flatMap((stored) => {
      const file = files.get(stored.id)
      return stored.clase === kind && file ? [{ id: stored.id, file, url: stored.url }] : []
    }),
  )
  return {
    submissionId: draft.entrega,
    values: draft.valores,
    documents,
    received: {},
    feedback: undefined,
    errors: Array.from(lostKinds, (field) => ({ campo: field, message: NOT_SAVED_MESSAGE })),
    resumesSending: draft.enviando && lostKinds.size === 0,
    isResumed: false,
  }
}

const files = (count: number) => (count === 1 ? '1 archivo' : `${count} archivos`)

function Offer({ draft, onGoOn, onDiscard }: { draft: Draft; onGoOn: () => void; onDiscard: () => void }) {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    // The offer may stand above the visible part of the page, and the focus scrolls there; a focus elsewhere is left alone.
    if (document.activeElement === document.body) section.current?.focus()
  }, [])
  return (
    <section className={styles.offer} aria-labelledby="oferta" tabIndex={-1} ref={section}>
      <h2 id="oferta">Tienes un registro a medias</h2>
      <p>
        Lo dejaste {formatTimeAgo(Date.now() - draft.guardado)}
        {draft.archivos.length > 0 && ` con ${files(draft.archivos.length)}`}. Está guardado sólo en este dispositivo,
        por un día.
      </p>
      <div className={styles.choices}>
        <Button onClick={onGoOn}>Continuar donde me quedé</Button>
        <Button look="outline" onClick={onDiscard}>
          Empezar de nuevo
        </Button>
      </div>
    </section>
  )
}
