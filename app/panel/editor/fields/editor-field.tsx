import { type ComponentType, useEffect, useId, useRef, useState } from 'react'
import { emptyValueOf, type GroupDescriptor, type LeafDescriptor } from '#app/cms/schema/field-descriptor.ts'
import { type FieldPath, valueAt } from '#app/cms/schema/field-path.ts'
import { formatTimeAgo } from '#app/core/time/mexico-dates.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { useEditForm, useFocusOnRequest } from '#app/panel/editor/edit-form-context.ts'
import { isAltMissing } from '#app/panel/editor/files/file-field-props.ts'
import { RequiredMark } from '#app/panel/editor/files/required-mark.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { CandidateInput, ChoiceInput, ColorInput, ToneInput, YesNoInput } from './choice-inputs.tsx'
import { FieldConflicts, useFieldConflicts } from './edit-conflict.tsx'
import styles from './field.module.css'
import type { FieldProps, InputProps } from './field-props.ts'
import { FileInput, PhotoInput, photoOf } from './file-inputs.tsx'
import { ItemList } from './item-list.tsx'
import { idOfNamedItem } from './new-item.ts'
import { ParagraphInput } from './paragraph-input.tsx'
import { LongTextInput, NumberInput, TextInput } from './text-inputs.tsx'
import { BirthdayInput, DateTimeInput } from './time-inputs.tsx'

const INPUTS: Record<Exclude<LeafDescriptor['kind'], 'id'>, ComponentType<InputProps>> = {
  text: TextInput,
  link: TextInput,
  longText: LongTextInput,
  lines: LongTextInput,
  paragraph: ParagraphInput,
  number: NumberInput,
  yesNo: YesNoInput,
  choice: ChoiceInput,
  candidate: CandidateInput,
  tone: ToneInput,
  color: ColorInput,
  date: DateTimeInput,
  time: DateTimeInput,
  moment: DateTimeInput,
  birthday: BirthdayInput,
  photo: PhotoInput,
  logo: FileInput,
  video: FileInput,
  document: FileInput,
}

export function EditorField({ descriptor, ...fieldProps }: FieldProps) {
  if (descriptor.isHidden || descriptor.kind === 'id') return null
  if (descriptor.kind === 'group') return <FieldGroup descriptor={descriptor} {...fieldProps} />
  if (descriptor.kind === 'list')
    return (
      <ItemList descriptor={descriptor} {...fieldProps}>
        {(index) => (
          <EditorField
            descriptor={descriptor.item}
            documentName={fieldProps.documentName}
            path={[...fieldProps.path, index]}
            // The list shows the title, so the item's fields are one level below it.
            level={Math.max(1, fieldProps.level)}
            isUnlabelled
          />
        )}
      </ItemList>
    )
  return <SingleField descriptor={descriptor} {...fieldProps} />
}

function FieldGroup({ descriptor, documentName, path, level, isUnlabelled }: FieldProps<GroupDescriptor>) {
  const { draftClient, view, faults } = useEditForm()
  useItemId(descriptor, documentName, path)
  const id = useId()
  const { label, help, fields, isOptional } = descriptor
  const isPresent = !isOptional || valueAt(view.documents[documentName]?.mine, path) !== undefined
  const fieldKey = fieldKeyOf(documentName, path)
  const fault = faults.get(fieldKey)
  const element = useRef<HTMLElement>(null)
  useFocusOnRequest(fieldKey, element)
  const HeadingTag = level <= 1 ? 'h2' : level === 2 ? 'h3' : 'h4'
  const fieldElements = fields.map(({ name, descriptor: fieldDescriptor }) => (
    <EditorField
      key={name}
      descriptor={fieldDescriptor}
      documentName={documentName}
      path={[...path, name]}
      level={level + 1}
    />
  ))
  if (isUnlabelled) return <div className={styles.group}>{fieldElements}</div>
  return (
    <section className={joinClasses(styles.section, level > 1 && styles.nested)} aria-labelledby={id} ref={element}>
      <div className={styles.heading}>
        <HeadingTag id={id}>{label}</HeadingTag>
        {isOptional && isPresent && (
          <Button look="quiet" onClick={() => draftClient.set(documentName, path, undefined)}>
            Quitar<span className="visually-hidden"> {label}</span>
          </Button>
        )}
      </div>
      {help && <p className={styles.help}>{help}</p>}
      {fault && <p className={styles.fault}>{asSentence(fault)}</p>}
      <FieldConflicts documentName={documentName} path={path} isWhole />
      {isPresent ? (
        <div className={styles.group}>{fieldElements}</div>
      ) : (
        <Button look="outline" onClick={() => draftClient.set(documentName, path, emptyValueOf(descriptor))}>
          Agregar<span className="visually-hidden"> {label}</span>
        </Button>
      )}
    </section>
  )
}

/** Share of a text's limit from which its length is shown. */
const NEAR_LIMIT_RATIO = 0.8

function SingleField({ descriptor, documentName, path, isUnlabelled }: FieldProps<LeafDescriptor>) {
  const { draftClient, view, faults, focusedKey, requestedKey } = useEditForm()
  const fieldKey = fieldKeyOf(documentName, path)
  const isFocused = focusedKey === fieldKey
  const { kind, label, help, max, isOptional } = descriptor
  const value = valueAt(view.documents[documentName]?.mine, path)
  const isConflicted = useFieldConflicts(documentName, path).length > 0
  // A field that is still to be written shows its fault once the focus has left it, or where a list of faults led to it.
  const [isUntouched, setIsUntouched] = useState(() => isIncomplete(value) && requestedKey !== fieldKey)
  const fault = isUntouched ? undefined : faults.get(fieldKey)
  // The photograph's own input says that its text is missing, beside the text.
  const isTextFault = kind === 'photo' && isAltMissing(photoOf(value))
  const remoteChange = view.documents[documentName]?.remoteChanges[fieldKey]
  const example = value === undefined || value === '' ? descriptor.example : undefined
  const FieldInput = INPUTS[kind as keyof typeof INPUTS]
  const length = typeof value === 'string' ? value.length : 0
  const isText = kind === 'text' || kind === 'longText'
  const isNearLimit = max !== undefined && isText && length > max * NEAR_LIMIT_RATIO
  const hints = [fault && !isTextFault && 'falla', (help || example) && 'ayuda', isNearLimit && 'cabe'].filter(Boolean)
  const describedBy = hints.map((hint) => `${fieldKey}-${hint}`).join(' ') || undefined
  const element = useRef<HTMLDivElement>(null)
  useFocusOnRequest(fieldKey, element)
  const notes = (
    <>
      {fault && !isTextFault && (
        <p className={styles.fault} id={`${fieldKey}-falla`}>
          {asSentence(fault)}
        </p>
      )}
      {isNearLimit && (
        <p className={styles.help} id={`${fieldKey}-cabe`}>
          {length.toLocaleString('es-MX')} de {max.toLocaleString('es-MX')} caracteres
        </p>
      )}
      {(help || example) && (
        <p className={styles.help} id={`${fieldKey}-ayuda`}>
          {help} {example && <span>Por ejemplo: {example}</span>}
        </p>
      )}
    </>
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handler only notices that the focus leaves the field's inputs
    <div
      ref={element}
      className={joinClasses(styles.field, isConflicted && styles.conflicted)}
      data-field-key={fieldKey}
      onBlur={({ currentTarget, relatedTarget }) => {
        // While the device shows its file chooser, the focus stays in the field.
        if (!currentTarget.contains(relatedTarget ?? document.activeElement)) setIsUntouched(false)
      }}
    >
      {kind !== 'yesNo' && (
        <p className={styles.labelRow}>
          <label htmlFor={fieldKey} className={isUnlabelled ? 'visually-hidden' : styles.label}>
            {label}
            {isOptional && <small> (opcional)</small>}
          </label>
          {!isOptional && isEmpty(value) && <RequiredMark />}
        </p>
      )}
      <FieldInput
        id={fieldKey}
        value={value}
        descriptor={descriptor}
        describedBy={describedBy}
        isInvalid={fault !== undefined}
        notes={notes}
        place={{ documentName, path }}
        onChange={(next) => {
          // A photograph that was just chosen has no alternative text yet, which is no fault before the focus leaves.
          if (kind === 'photo' && valueAt(next, ['foto']) !== valueAt(value, ['foto']))
            setIsUntouched(isIncomplete(next))
          draftClient.set(documentName, path, next)
        }}
      />
      {kind !== 'photo' && notes}
      {remoteChange && !isConflicted && !isFocused && (
        <p className={styles.remoteChange} role="status">
          {remoteChange.quien ?? 'Otra persona'} cambió esto {formatTimeAgo(Date.now() - remoteChange.at)}
        </p>
      )}
      <FieldConflicts documentName={documentName} path={path} />
    </div>
  )
}

/** Returns whether a value is empty, or a photograph without a file. */
const isEmpty = (value: unknown) =>
  value === undefined || String(value).trim() === '' || valueAt(value, ['foto']) === ''

/** Returns whether a value is empty, or a photograph without alternative text. */
const isIncomplete = (value: unknown) => isEmpty(value) || valueAt(value, ['alt']) === ''

/** Sets the id that `idOfNamedItem` gives, if any, when the focus leaves the item's name or title. */
function useItemId({ fields }: GroupDescriptor, documentName: string, path: FieldPath) {
  const { draftClient, view, publishedIds, withdrawnIds, focusedKey } = useEditForm()
  const nameAtFocus = useRef<string>(undefined)
  const idField = fields.find(({ descriptor }) => descriptor.kind === 'id')
  const nameField = idField && fields.find(({ name }) => name === 'nombre' || name === 'titulo')
  useEffect(() => {
    if (!nameField) return
    const { mine } = view.documents[documentName] ?? {}
    const item = valueAt(mine, path)
    const name = String(valueAt(item, [nameField.name]) ?? '')
    if (focusedKey === fieldKeyOf(documentName, [...path, nameField.name])) {
      nameAtFocus.current ??= name
      return
    }
    const nameBefore = nameAtFocus.current
    nameAtFocus.current = undefined
    if (nameBefore === undefined) return
    const siblings = valueAt(mine, path.slice(0, -1))
    const id = idOfNamedItem(Array.isArray(siblings) ? siblings : [item], Number(path.at(-1)), {
      name,
      nameBefore,
      publishedIds,
      withdrawnIds,
      keepsUrl: idField.descriptor.isHidden === true,
    })
    if (id) draftClient.set(documentName, [...path, idField.name], id)
  })
}

/** Turns «está vacío: escribe el texto» into «Está vacío: escribe el texto.». */
const asSentence = (fault: string) => `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`
