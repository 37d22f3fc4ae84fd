import { useEffect, useRef, useState } from 'react'
import { orWithout } from '#app/core/browser/storage-timeout.ts'
import { hace } from '#app/core/time/mexico-dates.ts'
import type { TipoInscripcion } from '#app/entries/definitions/document-kinds.ts'
import { dropUpload } from '#app/entries/submission/upload.client.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import { type Borrador, discardBorrador, findBorrador, isOfThisTab, loadFiles } from './draft-store.client.ts'
import { type Comienzo, documentosOf } from './initial-state.ts'
import styles from './resume-draft.module.css'

interface Props {
  tipo: TipoInscripcion
  /** Under which the form keeps what is typed in it. */
  entrega: string
  /** What stands in the form's fields. */
  readTyped(): Readonly<Record<string, string>>
  /** Whether this tab may go on with its own draft unasked. */
  mayGoOn(): boolean
  /** @param unasked nobody pressed anything */
  onGoOn(comienzo: Comienzo, unasked: boolean): void
}

/** Says of a form that it is a draft's. */
export const Retomado = ({ onDrop }: { onDrop: (() => void) | undefined }) => (
  <div className={styles.resumed}>
    <p>Aquí sigue tu registro, como lo dejaste. Está guardado sólo en este dispositivo, por un día.</p>
    <Button look="outline" onClick={onDrop}>
      Empezar de nuevo
    </Button>
  </div>
)

/** Looks for the draft of a form on this device, and goes on with it or offers to. */
export function Retomar({ tipo, entrega, readTyped, mayGoOn, onGoOn }: Props) {
  const [oferta, setOferta] = useState<{ borrador: Borrador; comienzo: Comienzo }>()
  useEffect(() => {
    let gone = false
    void findBorrador(tipo).then(async (found) => {
      if (gone || !found) return
      const comienzo = await comienzoFrom(found)
      if (gone) return
      const early = readTyped()
      if (!mayGoOn() || !isOfThisTab(found) || !isSame(early, found.valores))
        return setOferta({ borrador: found, comienzo })
      onGoOn({ ...comienzo, valores: { ...comienzo.valores, ...early }, retomado: true }, true)
      // A slow store lets the form write its words down first, which this draft has now.
      if (entrega !== found.entrega) void discardBorrador(entrega)
    })
    return () => {
      gone = true
    }
  }, [])

  async function goOn({ borrador, comienzo }: NonNullable<typeof oferta>) {
    const latest = await orWithout(comienzoFrom(borrador), comienzo)
    setOferta(undefined)
    onGoOn(latest, false)
  }

  function drop(borrador: Borrador) {
    void discardBorrador(borrador.entrega)
    for (const { url } of borrador.archivos) dropUpload(borrador.entrega, url)
    setOferta(undefined)
  }

  return oferta && <Oferta {...oferta} onGoOn={() => void goOn(oferta)} onDrop={() => drop(oferta.borrador)} />
}

/** The draft may lag behind by the last letters. */
const isSame = (typed: Readonly<Record<string, string>>, kept: Readonly<Record<string, string>>) =>
  Object.entries(typed).every(([campo, now]) => {
    const before = kept[campo] ?? ''
    return now.startsWith(before) || before.startsWith(now)
  })

const NO_GUARDADO = 'Este archivo no quedó guardado en tu dispositivo: elígelo otra vez.'

async function comienzoFrom(borrador: Borrador): Promise<Comienzo> {
  const files = await loadFiles(borrador)
  // The device was full, or the page went away in the very moment of the choice.
  const lost = new Set(borrador.archivos.flatMap(({ id, clase }) => (files.has(id) ? [] : [clase])))
  const documentos = documentosOf((clase) =>
    borrador.archivos.flatMap((guardado) => {
      const file = files.get(guardado.id)
      return guardado.clase === clase && file ? [{ id: guardado.id, file, url: guardado.url }] : []
    }),
  )
  return {
    entrega: borrador.entrega,
    valores: borrador.valores,
    documentos,
    recibidos: {},
    mensaje: undefined,
    errores: Array.from(lost, (campo) => ({ campo, message: NO_GUARDADO })),
    seguir: borrador.enviando && lost.size === 0,
    retomado: false,
  }
}

const archivos = (count: number) => (count === 1 ? '1 archivo' : `${count} archivos`)

function Oferta({ borrador, onGoOn, onDrop }: { borrador: Borrador; onGoOn: () => void; onDrop: () => void }) {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    // Far above a page that was opened further down; whoever is busy elsewhere is left there.
    if (document.activeElement === document.body) section.current?.focus()
  }, [])
  return (
    <section className={styles.offer} aria-labelledby="oferta" tabIndex={-1} ref={section}>
      <h2 id="oferta">Tienes un registro a medias</h2>
      <p>
        Lo dejaste {hace(Date.now() - borrador.guardado)}
        {borrador.archivos.length > 0 && ` con ${archivos(borrador.archivos.length)}`}. Está guardado sólo en este
        dispositivo, por un día.
      </p>
      <div className={styles.choices}>
        <Button onClick={onGoOn}>Continuar donde me quedé</Button>
        <Button look="outline" onClick={onDrop}>
          Empezar de nuevo
        </Button>
      </div>
    </section>
  )
}
