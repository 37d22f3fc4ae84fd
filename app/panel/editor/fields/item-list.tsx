import { type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { valorEn } from '#app/cms/schema/edits.ts'
import { capital, type List } from '#app/cms/schema/field-descriptor.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-queue.ts'
import { useEditForm, useFocusOnArrival } from '#app/panel/editor/use-draft.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toText } from './edit-conflict.tsx'
import fields from './field.module.css'
import type { FieldProps } from './field-props.ts'
import styles from './item-list.module.css'
import { newItemOf } from './new-item.ts'
import { useDragToReorder } from './use-drag-to-reorder.ts'

interface RemovedItem {
  en: number
  valor: unknown
}

/** A list whose items can be opened, added, moved and removed; each is titled by its own text. */
export function ItemList({
  descriptor,
  documento,
  campo,
  nivel,
  sinRotulo,
  children,
}: FieldProps<List> & { children(en: number): ReactNode }) {
  const { pluma, vista, fallas, irA } = useEditForm()
  const id = useId()
  const list = useRef<HTMLOListElement>(null)
  const { rotulo, ayuda, uno, de, max } = descriptor
  const value = valorEn(vista.valores[documento], campo)
  const items: unknown[] = Array.isArray(value) ? value : []
  const [knownKeys, setClaves] = useState<number[]>([])
  const keys = withKeys(knownKeys, items.length)
  const [opened, setAbiertos] = useState<ReadonlySet<number>>(new Set())
  const [quitado, setQuitado] = useState<RemovedItem>()
  const [statement, setDicho] = useState('')
  const focusOn = useRef<{ en: number; que: string }>(undefined)

  const isSimple = de.clase !== 'grupo'
  const password = fieldKeyOf(documento, campo)
  const falla = fallas.get(password)
  const isFull = max !== undefined && items.length >= max

  const place = useRef<HTMLElement>(null)
  useFocusOnArrival(password, place)
  // A field within an item is shown by opening the item.
  const within = irA?.startsWith(`${password}.`) ? keys[Number.parseInt(irA.slice(password.length + 1), 10)] : undefined
  if (within !== undefined && !isSimple && !opened.has(within)) setAbiertos(new Set([...opened, within]))

  // The focus follows the item that was just added or moved.
  useEffect(() => {
    const wanted = focusOn.current
    if (!wanted) return
    focusOn.current = undefined
    const item = list.current?.children[wanted.en]
    const target = item?.querySelector<HTMLElement>(wanted.que) ?? item?.querySelector<HTMLElement>('button')
    target?.focus()
  })

  const setOpen = (key: number, open: boolean) =>
    setAbiertos((before) => {
      const next = new Set(before)
      if (open) next.add(key)
      else next.delete(key)
      return next
    })

  const add = (en = items.length, given?: unknown) => {
    const key = Math.max(-1, ...keys) + 1
    setClaves(keys.toSpliced(en, 0, key))
    pluma.agregar(documento, campo, en, given ?? newItemOf(de, items))
    if (given === undefined) setOpen(key, true)
    focusOn.current = { en, que: 'input, textarea, select' }
    setQuitado(undefined)
    setDicho(`Se agregó ${withArticle(uno)}.`)
  }
  const remove = (en: number) => {
    setClaves(keys.toSpliced(en, 1))
    setQuitado({ en, valor: items[en] })
    pluma.quitar(documento, campo, en)
    setDicho('')
  }
  const mover = (en: number, a: number, que?: string) => {
    if (a < 0 || a >= items.length || a === en) return
    setClaves(keys.toSpliced(en, 1).toSpliced(a, 0, keys[en]!))
    pluma.mover(documento, campo, en, a)
    if (que) focusOn.current = { en: a, que }
    setDicho(`«${titleOf(items[en])}» está ahora en el lugar ${a + 1} de ${items.length}.`)
  }
  const dragFrom = useDragToReorder(list, mover)

  const HeadingTag = nivel <= 1 ? 'h2' : nivel === 2 ? 'h3' : 'h4'
  return (
    <section className={joinClasses(fields.seccion, nivel > 1 && fields.dentro)} aria-labelledby={id} ref={place}>
      <div className={fields.cabeza}>
        <HeadingTag id={id} className={sinRotulo ? fields.oculto : undefined}>
          {rotulo} <span className={styles.cuantos}>{items.length}</span>
        </HeadingTag>
      </div>
      {ayuda && <p className={fields.ayuda}>{ayuda}</p>}
      {falla && <p className={fields.falla}>{`${capital(falla)}.`}</p>}
      <ol className={styles.lista} ref={list}>
        {items.map((item, en) => (
          <Row
            key={keys[en]}
            titulo={titleOf(item) || `${capital(uno)} ${en + 1}`}
            numero={en + 1}
            uno={uno}
            isSimple={isSimple}
            isOpen={isSimple || opened.has(keys[en]!)}
            fallas={
              [...fallas.keys()].filter(
                (one) => one.startsWith(`${password}.${en}`) && /^(\.|$)/.test(one.slice(`${password}.${en}`.length)),
              ).length
            }
            onAbrir={(open) => setOpen(keys[en]!, open)}
            onSubir={en > 0 ? () => mover(en, en - 1, '[data-hace="subir"]') : undefined}
            onBajar={en < items.length - 1 ? () => mover(en, en + 1, '[data-hace="bajar"]') : undefined}
            onQuitar={() => remove(en)}
            asa={items.length > 1 ? dragFrom(en) : undefined}
          >
            {children(en)}
          </Row>
        ))}
      </ol>
      <div className={quitado && styles.quitado}>
        <p role="status">{quitado && `Se quitó «${titleOf(quitado.valor) || uno}».`}</p>
        {quitado && (
          <Button look="outline" onClick={() => add(Math.min(quitado.en, items.length), quitado.valor)}>
            Deshacer
          </Button>
        )}
      </div>
      <p className={fields.oculto} role="status">
        {statement}
      </p>
      {isFull ? (
        <p className={fields.ayuda}>Ya están los {max} que caben.</p>
      ) : (
        <Button look="outline" className={styles.agregar} onClick={() => add()}>
          + Agregar {uno}
        </Button>
      )}
    </section>
  )
}

interface ItemRowProps {
  titulo: string
  numero: number
  uno: string
  isSimple: boolean
  isOpen: boolean
  fallas: number
  onAbrir(open: boolean): void
  onSubir: (() => void) | undefined
  onBajar: (() => void) | undefined
  onQuitar(): void
  asa: ((event: PointerEvent<HTMLElement>) => void) | undefined
  children: ReactNode
}

function Row({ titulo, numero, uno, isSimple, isOpen, fallas, asa, children, ...on }: ItemRowProps) {
  const id = useId()
  const what = <span className={fields.oculto}> {isSimple ? `${uno} ${numero}` : titulo}</span>
  return (
    <li className={styles.renglon}>
      <div className={styles.barra}>
        {asa && (
          // Keyboards use the buttons instead.
          <span className={styles.asa} onPointerDown={asa} aria-hidden="true" title="Arrastra para cambiar el orden">
            ⠿
          </span>
        )}
        {isSimple ? (
          <span className={styles.numero}>{numero}</span>
        ) : (
          <button
            type="button"
            className={styles.titulo}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => on.onAbrir(!isOpen)}
          >
            <span>{titulo}</span>
            {fallas > 0 && !isOpen && <span className={styles.cuenta}>{fallas} por arreglar</span>}
          </button>
        )}
        <button type="button" className={styles.accion} data-hace="subir" disabled={!on.onSubir} onClick={on.onSubir}>
          ↑<span className={fields.oculto}>Subir</span>
          {what}
        </button>
        <button type="button" className={styles.accion} data-hace="bajar" disabled={!on.onBajar} onClick={on.onBajar}>
          ↓<span className={fields.oculto}>Bajar</span>
          {what}
        </button>
        <button type="button" className={styles.accion} onClick={on.onQuitar}>
          Quitar{what}
        </button>
      </div>
      <div id={id} className={styles.cuerpo} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </li>
  )
}

/** React keys for `length` items: known keys stay, new ones follow. */
function withKeys(keys: readonly number[], length: number): number[] {
  const next = Math.max(-1, ...keys) + 1
  return Array.from({ length }, (_, at) => keys[at] ?? next + at)
}

const LARGO = 60

/** An item's title, taken from its own text; empty where it has none. */
function titleOf(item: unknown): string {
  const said = toText(item)
  if (said === '(vacío)') return ''
  return said.length > LARGO ? `${said.slice(0, LARGO).trimEnd()}…` : said
}

const FEMININE = /(a|ión)$/

const withArticle = (one: string) => `${FEMININE.test(one) && one !== 'día' ? 'una' : 'un'} ${one}`
