import { type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { callNameOf, capitalize, type ListDescriptor } from '#app/cms/schema/field-descriptor.ts'
import { valueAt } from '#app/cms/schema/field-path.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { useEditForm, useFocusOnRequest } from '#app/panel/editor/edit-form-context.ts'
import { PhotoListPicker } from '#app/panel/editor/files/photo-list-picker.tsx'
import { fileUrlByPath } from '#app/panel/editor/files/upload-protocol.ts'
import { Button } from '#app/ui/components/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { EMPTY_TEXT, valueInWords } from './edit-conflict.tsx'
import fieldStyles from './field.module.css'
import type { FieldProps } from './field-props.ts'
import styles from './item-list.module.css'
import { createItem } from './new-item.ts'
import { useDragToReorder } from './use-drag-to-reorder.ts'

interface UndoableRemoval {
  index: number
  value: unknown
}

/** Edits a list whose items can be opened, added, moved and removed. An item's title comes from its own text. */
export function ItemList({
  descriptor,
  documentName,
  path,
  level,
  isUnlabelled,
  children,
}: FieldProps<ListDescriptor> & { children(index: number): ReactNode }) {
  const { draftClient, view, faults, requestedKey } = useEditForm()
  const id = useId()
  const list = useRef<HTMLOListElement>(null)
  const { label, help, itemName, item: itemDescriptor, max } = descriptor
  const value = valueAt(view.documents[documentName]?.mine, path)
  const items: unknown[] = Array.isArray(value) ? value : []
  const [knownKeys, setKnownKeys] = useState<number[]>([])
  const keys = extendKeys(knownKeys, items.length)
  const isPhotoList = itemDescriptor.kind === 'photo'
  // A photograph without alternative text is open from the start, since the text is still to be written.
  const [openKeys, setOpenKeys] = useState<ReadonlySet<number>>(
    () => new Set(keys.filter((_, index) => isPhotoList && !valueAt(items[index], ['alt']))),
  )
  const [removedItem, setRemovedItem] = useState<UndoableRemoval>()
  const [announcement, setAnnouncement] = useState('')
  const pendingFocus = useRef<{ index: number; selector: string }>(undefined)

  // Items of one plain value have no title to open them by, and are always open.
  const isSimple = itemDescriptor.kind !== 'group' && !isPhotoList
  const fieldKey = fieldKeyOf(documentName, path)
  const fault = faults.get(fieldKey)
  const isFull = max !== undefined && items.length >= max

  const section = useRef<HTMLElement>(null)
  useFocusOnRequest(fieldKey, section)
  // A requested field within an item comes into view when the item opens.
  const requestedItemKey = requestedKey?.startsWith(`${fieldKey}.`)
    ? keys[Number.parseInt(requestedKey.slice(fieldKey.length + 1), 10)]
    : undefined
  if (requestedItemKey !== undefined && !isSimple && !openKeys.has(requestedItemKey))
    setOpenKeys(new Set([...openKeys, requestedItemKey]))

  // The focus follows the item that was just added, or moved by a button.
  useEffect(() => {
    const focusTarget = pendingFocus.current
    if (!focusTarget) return
    pendingFocus.current = undefined
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
    draftClient.addItem(documentName, path, index, restoredValue ?? createItem(itemDescriptor, items))
    if (restoredValue === undefined) setOpen(key, true)
    pendingFocus.current = { index, selector: 'input, textarea, select' }
    setRemovedItem(undefined)
    setAnnouncement(`Se agregó ${withArticle(itemName)}.`)
  }
  const remove = (index: number) => {
    setKnownKeys(keys.toSpliced(index, 1))
    setRemovedItem({ index, value: items[index] })
    draftClient.removeItem(documentName, path, index)
    setAnnouncement('')
  }
  const move = (index: number, newIndex: number, selector?: string) => {
    if (newIndex < 0 || newIndex >= items.length || newIndex === index) return
    setKnownKeys(keys.toSpliced(index, 1).toSpliced(newIndex, 0, keys[index]!))
    draftClient.moveItem(documentName, path, index, newIndex)
    if (selector) pendingFocus.current = { index: newIndex, selector }
    setAnnouncement(`«${titleOf(items[index])}» está ahora en el lugar ${newIndex + 1} de ${items.length}.`)
  }
  const startDrag = useDragToReorder(list, move)
  /** Puts a photograph into the first item without one, or into a new item, and opens the item for the alternative text. */
  const addPhoto = (photoPath: string) => {
    const emptyIndex = items.findIndex((item) => valueAt(item, ['foto']) === '')
    const index = emptyIndex === -1 ? items.length : emptyIndex
    draftClient.set(documentName, [...path, index], {
      alt: '',
      foco: [50, 50],
      ...(items[index] as object),
      foto: photoPath,
    })
    setOpen(extendKeys(knownKeys, items.length + 1)[index]!, true)
    setAnnouncement(`Se agregó la fotografía ${index + 1}.`)
  }

  const HeadingTag = level <= 1 ? 'h2' : level === 2 ? 'h3' : 'h4'
  return (
    <section
      className={joinClasses(fieldStyles.section, level > 1 && fieldStyles.nested)}
      aria-labelledby={id}
      ref={section}
    >
      <div className={fieldStyles.heading}>
        <HeadingTag id={id} className={isUnlabelled ? 'visually-hidden' : undefined}>
          {label} <span className={styles.itemCount}>{items.length}</span>
        </HeadingTag>
      </div>
      {help && <p className={fieldStyles.help}>{help}</p>}
      {fault && <p className={fieldStyles.fault}>{`${capitalize(fault)}.`}</p>}
      {items.length > 1 && (
        <p className={fieldStyles.help} aria-hidden="true">
          Arrastra ⠿ para cambiar el orden.
        </p>
      )}
      <ol className={styles.list} ref={list}>
        {items.map((item, index) => (
          <ItemRow
            key={keys[index]}
            fieldKey={`${fieldKey}.${index}`}
            title={titleOf(item) || `${capitalize(itemName)} ${index + 1}`}
            number={index + 1}
            itemName={itemName}
            photo={isPhotoList ? valueAt(item, ['foto']) : undefined}
            isSimple={isSimple}
            isOpen={isSimple || openKeys.has(keys[index]!)}
            faultCount={
              [...faults.keys()].filter(
                (faultKey) => faultKey === `${fieldKey}.${index}` || faultKey.startsWith(`${fieldKey}.${index}.`),
              ).length
            }
            onToggle={(open) => setOpen(keys[index]!, open)}
            onMoveUp={index > 0 ? () => move(index, index - 1, '[data-action="up"]') : undefined}
            onMoveDown={index < items.length - 1 ? () => move(index, index + 1, '[data-action="down"]') : undefined}
            onRemove={() => remove(index)}
            onGrab={items.length > 1 ? startDrag(index) : undefined}
          >
            {children(index)}
          </ItemRow>
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
        <p className={fieldStyles.help}>Ya están los {max} que caben.</p>
      ) : (
        <Button look="outline" className={styles.add} onClick={() => add()}>
          + Agregar {itemName}
        </Button>
      )}
      {itemDescriptor.kind === 'photo' && !isFull && <PhotoListPicker label={label} onPhotoStored={addPhoto} />}
    </section>
  )
}

const THUMBNAIL_WIDTH_PX = 160

interface ItemRowProps {
  fieldKey: string
  title: string
  number: number
  itemName: string
  /** Path of the item's photograph; undefined or '' for an item without one. */
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

function ItemRow({
  fieldKey,
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
    <li className={styles.item} data-item-key={fieldKey}>
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
              <img src={fileUrlByPath(photo, THUMBNAIL_WIDTH_PX)} alt="" loading="lazy" />
            )}
            <span>{title}</span>
            {faultCount > 0 && !isOpen && <span className={styles.faultCount}>{faultCount} por arreglar</span>}
          </button>
        )}
        <button
          type="button"
          className={styles.itemButton}
          data-action="up"
          disabled={!handlers.onMoveUp}
          onClick={handlers.onMoveUp}
        >
          ↑<span className="visually-hidden">Subir</span>
          {hiddenName}
        </button>
        <button
          type="button"
          className={styles.itemButton}
          data-action="down"
          disabled={!handlers.onMoveDown}
          onClick={handlers.onMoveDown}
        >
          ↓<span className="visually-hidden">Bajar</span>
          {hiddenName}
        </button>
        <button type="button" className={styles.itemButton} onClick={handlers.onRemove}>
          Quitar{hiddenName}
        </button>
      </div>
      <div id={id} className={styles.body} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </li>
  )
}

/** Returns React keys for `length` items: the known keys, then new ones. */
function extendKeys(keys: readonly number[], length: number): number[] {
  const nextKey = Math.max(-1, ...keys) + 1
  return Array.from({ length }, (_, index) => keys[index] ?? nextKey + index)
}

const MAX_TITLE_CHARACTERS = 60

/** Returns an item's title, which is its own text, shortened; '' for an item without text. */
function titleOf(item: unknown): string {
  const text = callNameOf(item) ?? valueInWords(item)
  if (text === EMPTY_TEXT) return ''
  if (text.length <= MAX_TITLE_CHARACTERS) return text
  const lastSpace = text.lastIndexOf(' ', MAX_TITLE_CHARACTERS)
  return `${text.slice(0, lastSpace > 0 ? lastSpace : MAX_TITLE_CHARACTERS)}…`
}

const FEMININE_ENDING = /(a|ión)$/

const withArticle = (noun: string) => `${FEMININE_ENDING.test(noun) && noun !== 'día' ? 'una' : 'un'} ${noun}`
