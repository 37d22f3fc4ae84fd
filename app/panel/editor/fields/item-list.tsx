import { type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { capital, type List } from '#app/cms/schema/field-descriptor.ts'
import { valueAt } from '#app/cms/schema/field-path.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { SeveralPhotos } from '#app/panel/editor/files/several-photos.tsx'
import { fileAddressByPath } from '#app/panel/editor/files/upload-protocol.ts'
import { useEditForm, useFocusOnArrival } from '#app/panel/editor/use-draft.ts'
import { Button } from '#app/ui/components/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { EMPTY, toText } from './edit-conflict.tsx'
import fields from './field.module.css'
import type { FieldProps } from './field-props.ts'
import styles from './item-list.module.css'
import { newItemOf } from './new-item.ts'
import { useDragToReorder } from './use-drag-to-reorder.ts'

interface RemovedItem {
  index: number
  value: unknown
}

/** Shows a list whose items can be opened, added, moved and removed; each item is titled by its own text. */
export function ItemList({
  descriptor,
  documentName,
  path,
  level,
  isUnlabelled,
  children,
}: FieldProps<List> & { children(index: number): ReactNode }) {
  const { draftClient, view, faults, requestedKey } = useEditForm()
  const id = useId()
  const list = useRef<HTMLOListElement>(null)
  const { label, help, itemName, item: itemDescriptor, max } = descriptor
  const value = valueAt(view.documents[documentName]?.mine, path)
  const items: unknown[] = Array.isArray(value) ? value : []
  const [knownKeys, setKnownKeys] = useState<number[]>([])
  const keys = withKeys(knownKeys, items.length)
  const isPhotoList = itemDescriptor.kind === 'photo'
  // A photograph without its alternative text waits for it, so it is open from the start.
  const [openKeys, setOpenKeys] = useState<ReadonlySet<number>>(
    () => new Set(keys.filter((_, index) => isPhotoList && !valueAt(items[index], ['alt']))),
  )
  const [removedItem, setRemovedItem] = useState<RemovedItem>()
  const [announcement, setAnnouncement] = useState('')
  const focusOn = useRef<{ index: number; selector: string }>(undefined)

  const isSimple = itemDescriptor.kind !== 'group' && !isPhotoList
  const fieldKey = fieldKeyOf(documentName, path)
  const fault = faults.get(fieldKey)
  const isFull = max !== undefined && items.length >= max

  const place = useRef<HTMLElement>(null)
  useFocusOnArrival(fieldKey, place)
  // A field within an item is shown by opening the item.
  const requestedItemKey = requestedKey?.startsWith(`${fieldKey}.`)
    ? keys[Number.parseInt(requestedKey.slice(fieldKey.length + 1), 10)]
    : undefined
  if (requestedItemKey !== undefined && !isSimple && !openKeys.has(requestedItemKey))
    setOpenKeys(new Set([...openKeys, requestedItemKey]))

  // The focus follows the item that was just added or moved.
  useEffect(() => {
    const focusTarget = focusOn.current
    if (!focusTarget) return
    focusOn.current = undefined
    const item = list.current?.children[focusTarget.index]
    const target = item?.querySelector<HTMLElement>(focusTarget.selector) ?? item?.querySelector<HTMLElement>('button')
    target?.focus()
  })

  const setOpen = (key: number, open: boolean) =>
    setOpenKeys((before) => {
      const next = new Set(before)
      if (open) next.add(key)
      else next.delete(key)
      return next
    })

  const add = (index = items.length, restoredValue?: unknown) => {
    const key = Math.max(-1, ...keys) + 1
    setKnownKeys(keys.toSpliced(index, 0, key))
    draftClient.add(documentName, path, index, restoredValue ?? newItemOf(itemDescriptor, items))
    if (restoredValue === undefined) setOpen(key, true)
    focusOn.current = { index, selector: 'input, textarea, select' }
    setRemovedItem(undefined)
    setAnnouncement(`Se agregó ${withArticle(itemName)}.`)
  }
  const remove = (index: number) => {
    setKnownKeys(keys.toSpliced(index, 1))
    setRemovedItem({ index, value: items[index] })
    draftClient.remove(documentName, path, index)
    setAnnouncement('')
  }
  const move = (index: number, newIndex: number, selector?: string) => {
    if (newIndex < 0 || newIndex >= items.length || newIndex === index) return
    setKnownKeys(keys.toSpliced(index, 1).toSpliced(newIndex, 0, keys[index]!))
    draftClient.move(documentName, path, index, newIndex)
    if (selector) focusOn.current = { index: newIndex, selector }
    setAnnouncement(`«${titleOf(items[index])}» está ahora en el lugar ${newIndex + 1} de ${items.length}.`)
  }
  const dragFrom = useDragToReorder(list, move)
  /** Puts a photograph into the first item without one, or else into a new item, and opens the item for its alternative text. */
  const addPhoto = (photoPath: string) => {
    const empty = items.findIndex((item) => valueAt(item, ['foto']) === '')
    const index = empty === -1 ? items.length : empty
    draftClient.set(documentName, [...path, index], {
      alt: '',
      foco: [50, 50],
      ...(items[index] as object),
      foto: photoPath,
    })
    setOpen(withKeys(knownKeys, items.length + 1)[index]!, true)
    setAnnouncement(`Se agregó la fotografía ${index + 1}.`)
  }

  const HeadingTag = level <= 1 ? 'h2' : level === 2 ? 'h3' : 'h4'
  return (
    <section className={joinClasses(fields.section, level > 1 && fields.inside)} aria-labelledby={id} ref={place}>
      <div className={fields.heading}>
        <HeadingTag id={id} className={isUnlabelled ? 'visually-hidden' : undefined}>
          {label} <span className={styles.quantity}>{items.length}</span>
        </HeadingTag>
      </div>
      {help && <p className={fields.help}>{help}</p>}
      {fault && <p className={fields.fault}>{`${capital(fault)}.`}</p>}
      <ol className={styles.list} ref={list}>
        {items.map((item, index) => (
          <Row
            key={keys[index]}
            title={titleOf(item) || `${capital(itemName)} ${index + 1}`}
            number={index + 1}
            itemName={itemName}
            photo={isPhotoList ? valueAt(item, ['foto']) : undefined}
            isSimple={isSimple}
            isOpen={isSimple || openKeys.has(keys[index]!)}
            faultCount={
              [...faults.keys()].filter(
                (one) =>
                  one.startsWith(`${fieldKey}.${index}`) && /^(\.|$)/.test(one.slice(`${fieldKey}.${index}`.length)),
              ).length
            }
            onToggle={(open) => setOpen(keys[index]!, open)}
            onMoveUp={index > 0 ? () => move(index, index - 1, '[data-action="up"]') : undefined}
            onMoveDown={index < items.length - 1 ? () => move(index, index + 1, '[data-action="down"]') : undefined}
            onRemove={() => remove(index)}
            onGrab={items.length > 1 ? dragFrom(index) : undefined}
          >
            {children(index)}
          </Row>
        ))}
      </ol>
      <div className={removedItem && styles.removed}>
        <p role="status">{removedItem && `Se quitó «${titleOf(removedItem.value) || itemName}».`}</p>
        {removedItem && (
          <Button look="outline" onClick={() => add(Math.min(removedItem.index, items.length), removedItem.value)}>
            Deshacer
          </Button>
        )}
      </div>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
      {isFull ? (
        <p className={fields.help}>Ya están los {max} que caben.</p>
      ) : (
        <Button look="outline" className={styles.add} onClick={() => add()}>
          + Agregar {itemName}
        </Button>
      )}
      {itemDescriptor.kind === 'photo' && !isFull && <SeveralPhotos label={label} onPhoto={addPhoto} />}
    </section>
  )
}

const THUMBNAIL_WIDTH = 160

interface ItemRowProps {
  title: string
  number: number
  itemName: string
  /** The path of the photograph that the item is; undefined or '' where it is none. */
  photo: unknown
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

function Row({
  title,
  number,
  itemName,
  photo,
  isSimple,
  isOpen,
  faultCount,
  onGrab,
  children,
  ...handlers
}: ItemRowProps) {
  const id = useId()
  const hiddenName = <span className="visually-hidden"> {isSimple ? `${itemName} ${number}` : title}</span>
  return (
    <li className={styles.line}>
      <div className={styles.bar}>
        {onGrab && (
          // Keyboard users have the buttons instead of the handle.
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
            onClick={() => handlers.onToggle(!isOpen)}
          >
            {typeof photo === 'string' && photo !== '' && (
              <img src={fileAddressByPath(photo, THUMBNAIL_WIDTH)} alt="" loading="lazy" />
            )}
            <span>{title}</span>
            {faultCount > 0 && !isOpen && <span className={styles.account}>{faultCount} por arreglar</span>}
          </button>
        )}
        <button
          type="button"
          className={styles.action}
          data-action="up"
          disabled={!handlers.onMoveUp}
          onClick={handlers.onMoveUp}
        >
          ↑<span className="visually-hidden">Subir</span>
          {hiddenName}
        </button>
        <button
          type="button"
          className={styles.action}
          data-action="down"
          disabled={!handlers.onMoveDown}
          onClick={handlers.onMoveDown}
        >
          ↓<span className="visually-hidden">Bajar</span>
          {hiddenName}
        </button>
        <button type="button" className={styles.action} onClick={handlers.onRemove}>
          Quitar{hiddenName}
        </button>
      </div>
      <div id={id} className={styles.body} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </li>
  )
}

/** Makes React keys for `length` items: known keys stay, new keys follow. */
function withKeys(keys: readonly number[], length: number): number[] {
  const next = Math.max(-1, ...keys) + 1
  return Array.from({ length }, (_, at) => keys[at] ?? next + at)
}

const MAX_TITLE_CHARACTERS = 60

/** Returns an item's title, taken from its own text; '' where the item has no text. */
function titleOf(item: unknown): string {
  const text = toText(item)
  if (text === EMPTY) return ''
  return text.length > MAX_TITLE_CHARACTERS ? `${text.slice(0, MAX_TITLE_CHARACTERS).trimEnd()}…` : text
}

const FEMININE = /(a|ión)$/

const withArticle = (one: string) => `${FEMININE.test(one) && one !== 'día' ? 'una' : 'un'} ${one}`
