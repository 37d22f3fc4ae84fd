import { type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { valueAt } from '#app/cms/schema/edits.ts'
import { capital, type List } from '#app/cms/schema/field-descriptor.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-queue.ts'
import { useEditForm, useFocusOnArrival } from '#app/panel/editor/use-draft.ts'
import { Button } from '#app/ui/components/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toText } from './edit-conflict.tsx'
import fields from './field.module.css'
import type { FieldProps } from './field-props.ts'
import styles from './item-list.module.css'
import { newItemOf } from './new-item.ts'
import { useDragToReorder } from './use-drag-to-reorder.ts'

interface RemovedItem {
  en: number
  value: unknown
}

/** A list whose items can be opened, added, moved and removed; each is titled by its own text. */
export function ItemList({
  descriptor,
  documentName,
  path,
  level,
  isUnlabelled,
  children,
}: FieldProps<List> & { children(en: number): ReactNode }) {
  const { draftClient, view, faults, requestedKey } = useEditForm()
  const id = useId()
  const list = useRef<HTMLOListElement>(null)
  const { label, help, itemName, item: itemDescriptor, max } = descriptor
  const value = valueAt(view.values[documentName], path)
  const items: unknown[] = Array.isArray(value) ? value : []
  const [knownKeys, setKnownKeys] = useState<number[]>([])
  const keys = withKeys(knownKeys, items.length)
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [removed, setRemoved] = useState<RemovedItem>()
  const [statement, setStatement] = useState('')
  const focusOn = useRef<{ en: number; que: string }>(undefined)

  const isSimple = itemDescriptor.kind !== 'grupo'
  const fieldKey = fieldKeyOf(documentName, path)
  const fault = faults.get(fieldKey)
  const isFull = max !== undefined && items.length >= max

  const place = useRef<HTMLElement>(null)
  useFocusOnArrival(fieldKey, place)
  // A field within an item is shown by opening the item.
  const within = requestedKey?.startsWith(`${fieldKey}.`)
    ? keys[Number.parseInt(requestedKey.slice(fieldKey.length + 1), 10)]
    : undefined
  if (within !== undefined && !isSimple && !opened.has(within)) setOpened(new Set([...opened, within]))

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
    setOpened((before) => {
      const next = new Set(before)
      if (open) next.add(key)
      else next.delete(key)
      return next
    })

  const add = (en = items.length, given?: unknown) => {
    const key = Math.max(-1, ...keys) + 1
    setKnownKeys(keys.toSpliced(en, 0, key))
    draftClient.add(documentName, path, en, given ?? newItemOf(itemDescriptor, items))
    if (given === undefined) setOpen(key, true)
    focusOn.current = { en, que: 'input, textarea, select' }
    setRemoved(undefined)
    setStatement(`Se agregó ${withArticle(itemName)}.`)
  }
  const remove = (en: number) => {
    setKnownKeys(keys.toSpliced(en, 1))
    setRemoved({ en, value: items[en] })
    draftClient.remove(documentName, path, en)
    setStatement('')
  }
  const move = (en: number, a: number, que?: string) => {
    if (a < 0 || a >= items.length || a === en) return
    setKnownKeys(keys.toSpliced(en, 1).toSpliced(a, 0, keys[en]!))
    draftClient.move(documentName, path, en, a)
    if (que) focusOn.current = { en: a, que }
    setStatement(`«${titleOf(items[en])}» está ahora en el lugar ${a + 1} de ${items.length}.`)
  }
  const dragFrom = useDragToReorder(list, move)

  const HeadingTag = level <= 1 ? 'h2' : level === 2 ? 'h3' : 'h4'
  return (
    <section className={joinClasses(fields.section, level > 1 && fields.inside)} aria-labelledby={id} ref={place}>
      <div className={fields.heading}>
        <HeadingTag id={id} className={isUnlabelled ? fields.hiddenPart : undefined}>
          {label} <span className={styles.quantity}>{items.length}</span>
        </HeadingTag>
      </div>
      {help && <p className={fields.help}>{help}</p>}
      {fault && <p className={fields.fault}>{`${capital(fault)}.`}</p>}
      <ol className={styles.list} ref={list}>
        {items.map((item, en) => (
          <Row
            key={keys[en]}
            title={titleOf(item) || `${capital(itemName)} ${en + 1}`}
            number={en + 1}
            itemName={itemName}
            isSimple={isSimple}
            isOpen={isSimple || opened.has(keys[en]!)}
            faultCount={
              [...faults.keys()].filter(
                (one) => one.startsWith(`${fieldKey}.${en}`) && /^(\.|$)/.test(one.slice(`${fieldKey}.${en}`.length)),
              ).length
            }
            onToggle={(open) => setOpen(keys[en]!, open)}
            onMoveUp={en > 0 ? () => move(en, en - 1, '[data-hace="subir"]') : undefined}
            onMoveDown={en < items.length - 1 ? () => move(en, en + 1, '[data-hace="bajar"]') : undefined}
            onRemove={() => remove(en)}
            onGrab={items.length > 1 ? dragFrom(en) : undefined}
          >
            {children(en)}
          </Row>
        ))}
      </ol>
      <div className={removed && styles.removed}>
        <p role="status">{removed && `Se quitó «${titleOf(removed.value) || itemName}».`}</p>
        {removed && (
          <Button look="outline" onClick={() => add(Math.min(removed.en, items.length), removed.value)}>
            Deshacer
          </Button>
        )}
      </div>
      <p className={fields.hiddenPart} role="status">
        {statement}
      </p>
      {isFull ? (
        <p className={fields.help}>Ya están los {max} que caben.</p>
      ) : (
        <Button look="outline" className={styles.add} onClick={() => add()}>
          + Agregar {itemName}
        </Button>
      )}
    </section>
  )
}

interface ItemRowProps {
  title: string
  number: number
  itemName: string
  isSimple: boolean
  isOpen: boolean
  faultCount: number
  onToggle(open: boolean): void
  onMoveUp: (() => void) | undefined
  onMoveDown: (() => void) | undefined
  onRemove(): void
  onGrab: ((event: PointerEvent<HTMLElement>) => void) | undefined
  children: ReactNode
}

function Row({ title, number, itemName, isSimple, isOpen, faultCount, onGrab, children, ...on }: ItemRowProps) {
  const id = useId()
  const what = <span className={fields.hiddenPart}> {isSimple ? `${itemName} ${number}` : title}</span>
  return (
    <li className={styles.line}>
      <div className={styles.bar}>
        {onGrab && (
          // Keyboards use the buttons instead.
          <span
            className={styles.handle}
            onPointerDown={onGrab}
            aria-hidden="true"
            title="Arrastra para cambiar el orden"
          >
            ⠿
          </span>
        )}
        {isSimple ? (
          <span className={styles.number}>{number}</span>
        ) : (
          <button
            type="button"
            className={styles.title}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => on.onToggle(!isOpen)}
          >
            <span>{title}</span>
            {faultCount > 0 && !isOpen && <span className={styles.account}>{faultCount} por arreglar</span>}
          </button>
        )}
        <button type="button" className={styles.action} data-hace="subir" disabled={!on.onMoveUp} onClick={on.onMoveUp}>
          ↑<span className={fields.hiddenPart}>Subir</span>
          {what}
        </button>
        <button
          type="button"
          className={styles.action}
          data-hace="bajar"
          disabled={!on.onMoveDown}
          onClick={on.onMoveDown}
        >
          ↓<span className={fields.hiddenPart}>Bajar</span>
          {what}
        </button>
        <button type="button" className={styles.action} onClick={on.onRemove}>
          Quitar{what}
        </button>
      </div>
      <div id={id} className={styles.body} hidden={!isOpen}>
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

const MAX_TITLE_CHARACTERS = 60

/** An item's title, taken from its own text; empty where it has none. */
function titleOf(item: unknown): string {
  const said = toText(item)
  if (said === '(vacío)') return ''
  return said.length > MAX_TITLE_CHARACTERS ? `${said.slice(0, MAX_TITLE_CHARACTERS).trimEnd()}…` : said
}

const FEMININE = /(a|ión)$/

const withArticle = (one: string) => `${FEMININE.test(one) && one !== 'día' ? 'una' : 'un'} ${one}`
