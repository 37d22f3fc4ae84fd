import { useEffect, useRef, useState } from 'react'
import { withStorageTimeout } from '#app/core/browser-resilience/storage-timeout.ts'
import { formatTimeAgo } from '#app/core/time/mexico-dates.ts'
import { dropUpload } from '#app/core/uploads/drop-upload.client.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import { Button } from '#app/ui/components/button.tsx'
import {
  belongsToThisTab,
  discardDraft,
  loadFiles,
  type RegistrationDraft,
  sweepAndFindDraft,
} from './draft-store.client.ts'
import { documentsOf, type FormStart } from './initial-state.ts'
import styles from './resume-draft.module.css'

interface Props {
  type: EntryType
  /** Submission id of the form on the screen, under which it saves its own draft. */
  submissionId: string
  /** Reads the values of the form on the screen, without empty ones. */
  readTypedValues(): Readonly<Record<string, string>>
  /** Returns whether this tab may resume its own draft without asking. */
  mayResume(): boolean
  /** Starts the form anew from the draft. @param isAutomatic whether the entrant pressed no button */
  onResume(start: FormStart, isAutomatic: boolean): void
}

/** Tells above a form that it was resumed from a draft without asking. */
export const ResumedDraft = ({ onDiscard }: { onDiscard: (() => void) | undefined }) => (
  <div className={styles.resumed}>
    <p>Aquí sigue tu registro, como lo dejaste. Está guardado sólo en este dispositivo, por un día.</p>
    <Button look="outline" onClick={onDiscard}>
      Empezar de nuevo
    </Button>
  </div>
)

/**
 * Looks for the form's draft on this device. The tab's own draft is resumed if `mayResume` allows it and the typed values agree
 * with it; otherwise the draft is offered.
 */
export function ResumeDraft({ type, submissionId, readTypedValues, mayResume, onResume }: Props) {
  const [offer, setOffer] = useState<{ draft: RegistrationDraft; start: FormStart }>()
  useEffect(() => {
    let isUnmounted = false
    void sweepAndFindDraft(type).then(async (draft) => {
      if (isUnmounted || !draft) return
      const start = await startFromDraft(draft)
      if (isUnmounted) return
      const typedValues = readTypedValues()
      if (!mayResume() || !belongsToThisTab(draft) || !agreesWithDraft(typedValues, draft.valores))
        return setOffer({ draft, start })
      onResume({ ...start, values: { ...start.values, ...typedValues }, isResumed: true }, true)
      // If the storage was slow, the form has saved a draft of its own, whose values the resumed draft has now.
      if (submissionId !== draft.entrega) void discardDraft(submissionId)
    })
    return () => {
      isUnmounted = true
    }
  }, [])

  async function resume({ draft, start }: NonNullable<typeof offer>) {
    const latestStart = await withStorageTimeout(startFromDraft(draft), start)
    setOffer(undefined)
    onResume(latestStart, false)
  }

  function discard(draft: RegistrationDraft) {
    void discardDraft(draft.entrega)
    for (const { url } of draft.archivos) dropUpload(draft.entrega, url)
    setOffer(undefined)
  }

  return offer && <DraftOffer {...offer} onResume={() => void resume(offer)} onDiscard={() => discard(offer.draft)} />
}

/** Returns whether each typed value begins with the draft's value, whose last letters may not have been saved, or the reverse. */
const agreesWithDraft = (
  typedValues: Readonly<Record<string, string>>,
  draftValues: Readonly<Record<string, string>>,
) =>
  Object.entries(typedValues).every(([field, typedValue]) => {
    const draftValue = draftValues[field] ?? ''
    return typedValue.startsWith(draftValue) || draftValue.startsWith(typedValue)
  })

const NOT_SAVED_MESSAGE = 'Este archivo no quedó guardado en tu dispositivo: elígelo otra vez.'

async function startFromDraft(draft: RegistrationDraft): Promise<FormStart> {
  const files = await loadFiles(draft)
  // The browser loses a file if the device is full, or if the page is closed at the moment of the choice.
  const lostKinds = new Set(draft.archivos.flatMap(({ id, clase }) => (files.has(id) ? [] : [clase])))
  const documents = documentsOf((kind) =>
    draft.archivos.flatMap(({ id, clase, url }) => {
      const file = files.get(id)
      return clase === kind && file ? [{ id, file, url }] : []
    }),
  )
  return {
    submissionId: draft.entrega,
    values: draft.valores,
    documents,
    received: {},
    feedback: undefined,
    errors: Array.from(lostKinds, (field) => ({ campo: field, message: NOT_SAVED_MESSAGE })),
    mayResumeSending: draft.enviando && lostKinds.size === 0,
    wasSent: draft.enviado,
    isResumed: false,
  }
}

const fileCountText = (count: number) => (count === 1 ? '1 archivo' : `${count} archivos`)

function DraftOffer({
  draft,
  onResume,
  onDiscard,
}: {
  draft: RegistrationDraft
  onResume: () => void
  onDiscard: () => void
}) {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    // The offer may lie above the visible part of the page, so the focus scrolls to it, unless the visitor is in a field.
    if (document.activeElement === document.body) section.current?.focus()
  }, [])
  return (
    <section className={styles.offer} aria-labelledby="oferta" tabIndex={-1} ref={section}>
      <h2 id="oferta">Tienes un registro a medias</h2>
      <p>
        Lo dejaste {formatTimeAgo(Date.now() - draft.guardado)}
        {draft.archivos.length > 0 && ` con ${fileCountText(draft.archivos.length)}`}. Está guardado sólo en este
        dispositivo, por un día.
      </p>
      <div className={styles.choices}>
        <Button onClick={onResume}>Continuar donde me quedé</Button>
        <Button look="outline" onClick={onDiscard}>
          Empezar de nuevo
        </Button>
      </div>
    </section>
  )
}
