import { type ComponentType, useEffect, useId, useRef } from 'react'
import { type FieldPath, isEqual, valorEn } from '#app/cms/schema/edits.ts'
import { emptyValueOf, type Group, type Leaf } from '#app/cms/schema/field-descriptor.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { formatTimeAgo } from '#app/core/time/mexico-dates.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-queue.ts'
import { useEditForm, useFocusOnArrival } from '#app/panel/editor/use-draft.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { CandidateInput, ChoiceInput, ColorInput, ToneInput, YesNoInput } from './choice-inputs.tsx'
import { FieldConflict } from './edit-conflict.tsx'
import styles from './field.module.css'
import type { FieldProps, InputProps } from './field-props.ts'
import { FileInput, PhotoInput } from './file-inputs.tsx'
import { ItemList } from './item-list.tsx'
import { NEW_ID_PREFIX } from './new-item.ts'
import { ParagraphInput } from './paragraph-input.tsx'
import { LongTextInput, NumberInput, TextInput } from './text-inputs.tsx'
import { BirthdayInput, DateTimeInput } from './time-inputs.tsx'

/** The input of each kind of field. */
const INPUTS: Record<Exclude<Leaf['clase'], 'id'>, ComponentType<InputProps>> = {
  texto: TextInput,
  enlace: TextInput,
  'texto-largo': LongTextInput,
  renglones: LongTextInput,
  parrafo: ParagraphInput,
  numero: NumberInput,
  'si-no': YesNoInput,
  eleccion: ChoiceInput,
  persona: CandidateInput,
  tono: ToneInput,
  color: ColorInput,
  fecha: DateTimeInput,
  hora: DateTimeInput,
  momento: DateTimeInput,
  cumple: BirthdayInput,
  foto: PhotoInput,
  logo: FileInput,
  video: FileInput,
  documento: FileInput,
}

/** A field of any kind, with the fields inside it. */
export function Field({ descriptor, ...rest }: FieldProps) {
  if (descriptor.oculto || descriptor.clase === 'id') return null
  if (descriptor.clase === 'grupo') return <FieldGroup descriptor={descriptor} {...rest} />
  if (descriptor.clase === 'lista')
    return (
      <ItemList descriptor={descriptor} {...rest}>
        {(en) => (
          <Field
            descriptor={descriptor.de}
            documento={rest.documento}
            campo={[...rest.campo, en]}
            // The list shows the title, so the item's fields are one level below it.
            nivel={Math.max(1, rest.nivel)}
            sinRotulo
          />
        )}
      </ItemList>
    )
  return <SingleField descriptor={descriptor} {...rest} />
}

function FieldGroup({ descriptor, documento, campo, nivel, sinRotulo }: FieldProps<Group>) {
  const { pluma, vista, fallas } = useEditForm()
  const id = useId()
  const { rotulo, ayuda, campos, opcional } = descriptor
  const isThere = !opcional || valorEn(vista.valores[documento], campo) !== undefined
  const password = fieldKeyOf(documento, campo)
  const falla = fallas.get(password)
  const place = useRef<HTMLElement>(null)
  useFocusOnArrival(password, place)
  const HeadingTag = nivel <= 1 ? 'h2' : nivel === 2 ? 'h3' : 'h4'
  const inner = campos.map(({ nombre, campo: one }) => (
    <Field key={nombre} descriptor={one} documento={documento} campo={[...campo, nombre]} nivel={nivel + 1} />
  ))
  if (sinRotulo) return <div className={styles.grupo}>{inner}</div>
  return (
    <section className={joinClasses(styles.seccion, nivel > 1 && styles.dentro)} aria-labelledby={id} ref={place}>
      <div className={styles.cabeza}>
        <HeadingTag id={id}>{rotulo}</HeadingTag>
        {opcional && isThere && (
          <Button look="quiet" onClick={() => pluma.poner(documento, campo, undefined)}>
            Quitar<span className={styles.oculto}> {rotulo}</span>
          </Button>
        )}
      </div>
      {ayuda && <p className={styles.ayuda}>{ayuda}</p>}
      {falla && <p className={styles.falla}>{asSentence(falla)}</p>}
      {isThere ? (
        <div className={styles.grupo}>{inner}</div>
      ) : (
        <Button look="outline" onClick={() => pluma.poner(documento, campo, emptyValueOf(descriptor))}>
          Agregar<span className={styles.oculto}> {rotulo}</span>
        </Button>
      )}
    </section>
  )
}

/** Share of a text's limit from which its length is shown. */
const NEAR_LIMIT_RATIO = 0.8

function SingleField({ descriptor, documento, campo, sinRotulo }: FieldProps<Leaf>) {
  const { pluma, vista, fallas, enFoco } = useEditForm()
  const password = fieldKeyOf(documento, campo)
  const focused = enFoco === password
  const valor = valorEn(vista.valores[documento], campo)
  const conflict = vista.cola.choques.find(
    ({ retoque, perdido }) =>
      !perdido && retoque.que === 'poner' && fieldKeyOf(retoque.documento, retoque.campo) === password,
  )
  const falla = fallas.get(password)
  const foreign = vista.cola.ajenos[password]
  const { clase, rotulo, ayuda, max, opcional } = descriptor
  // The example is shown only while the field is empty.
  const example = valor === undefined || valor === '' ? descriptor.ejemplo : undefined
  const FieldInput = INPUTS[clase as keyof typeof INPUTS]
  const length = typeof valor === 'string' ? valor.length : 0
  const isNear = max !== undefined && clase.startsWith('texto') && length > max * NEAR_LIMIT_RATIO
  const hints = [falla && 'falla', (ayuda || example) && 'ayuda', isNear && 'cabe'].filter(Boolean)
  const describedBy = hints.map((one) => `${password}-${one}`).join(' ') || undefined
  const place = useRef<HTMLDivElement>(null)
  useFocusOnArrival(password, place)
  useIdFromName({ documento, campo, isHere: focused })
  return (
    <div ref={place} className={joinClasses(styles.campo, conflict && styles.chocado)} data-clave={password}>
      {clase !== 'si-no' && (
        <label htmlFor={password} className={sinRotulo ? styles.oculto : styles.rotulo}>
          {rotulo}
          {opcional && <small> (opcional)</small>}
        </label>
      )}
      <FieldInput
        id={password}
        valor={valor}
        descriptor={descriptor}
        describedBy={describedBy}
        invalid={falla !== undefined}
        lugar={{ documento, campo }}
        onCambio={(next) => pluma.poner(documento, campo, next)}
      />
      {falla && (
        <p className={styles.falla} id={`${password}-falla`}>
          {asSentence(falla)}
        </p>
      )}
      {isNear && (
        <p className={styles.ayuda} id={`${password}-cabe`}>
          {length.toLocaleString('es-MX')} de {max.toLocaleString('es-MX')} caracteres
        </p>
      )}
      {(ayuda || example) && (
        <p className={styles.ayuda} id={`${password}-ayuda`}>
          {ayuda} {example && <span>Por ejemplo: {example}</span>}
        </p>
      )}
      {foreign && !conflict && !focused && (
        <p className={styles.ajeno} role="status">
          {foreign.quien ?? 'Otra persona'} cambió esto {formatTimeAgo(Date.now() - foreign.at)}
        </p>
      )}
      {conflict && <FieldConflict choque={conflict} />}
    </div>
  )
}

/** Derives a new item's id from its name when the focus leaves the name field; a published id never changes. */
function useIdFromName({ documento, campo, isHere }: { documento: string; campo: FieldPath; isHere: boolean }) {
  const { pluma, vista, publicados } = useEditForm()
  const was = useRef(isHere)
  useEffect(() => {
    const left = was.current && !isHere
    was.current = isHere
    if (!left || campo.at(-1) !== 'nombre') return
    const item = valorEn(vista.valores[documento], campo.slice(0, -1))
    const others = valorEn(vista.valores[documento], campo.slice(0, -2))
    const own = valorEn(item, ['id'])
    if (typeof own !== 'string' || !own.startsWith(NEW_ID_PREFIX) || publicados.includes(own)) return
    const named = slugOf(String(valorEn(item, ['nombre']) ?? '')).slice(0, 50)
    const isTaken = Array.isArray(others) && others.some((one) => isEqual(valorEn(one, ['id']), named))
    const id = isTaken ? named + own.slice(NEW_ID_PREFIX.length - 1) : named
    if (named) pluma.poner(documento, [...campo.slice(0, -1), 'id'], id)
  })
}

/** «está vacío: escribe el texto» → «Está vacío: escribe el texto.» */
const asSentence = (falla: string) => `${falla.charAt(0).toUpperCase()}${falla.slice(1)}.`
