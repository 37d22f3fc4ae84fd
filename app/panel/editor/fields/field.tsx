import { type ComponentType, useEffect, useId, useRef } from 'react'
import { type Camino, isIgual, valorEn } from '#app/cms/schema/edits.ts'
import { type Grupo, type Hoja, vacioDe } from '#app/cms/schema/field-descriptor.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { hace } from '#app/core/time/mexico-dates.ts'
import { claveDe } from '#app/panel/editor/draft-queue.ts'
import { useLlegada, useMano } from '#app/panel/editor/use-draft.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import { CampoDeColor, CampoDeEleccion, CampoDePersona, CampoDeSiNo, CampoDeTono } from './choice-inputs.tsx'
import { ChoqueDeCampo } from './edit-conflict.tsx'
import styles from './field.module.css'
import type { PropsDeCampo, PropsDeLugar } from './field-props.ts'
import { CampoDeArchivo, CampoDeFoto } from './file-inputs.tsx'
import { ListaDeCampos } from './item-list.tsx'
import { NUEVO } from './new-item.ts'
import { CampoDeParrafo } from './paragraph-input.tsx'
import { CampoDeNumero, CampoDeTexto, CampoLargo } from './text-inputs.tsx'
import { CampoDeCumple, CampoDeTiempo } from './time-inputs.tsx'

/** The input of each class of field. */
const ENTRADAS: Record<Exclude<Hoja['clase'], 'id'>, ComponentType<PropsDeCampo>> = {
  texto: CampoDeTexto,
  enlace: CampoDeTexto,
  'texto-largo': CampoLargo,
  renglones: CampoLargo,
  parrafo: CampoDeParrafo,
  numero: CampoDeNumero,
  'si-no': CampoDeSiNo,
  eleccion: CampoDeEleccion,
  persona: CampoDePersona,
  tono: CampoDeTono,
  color: CampoDeColor,
  fecha: CampoDeTiempo,
  hora: CampoDeTiempo,
  momento: CampoDeTiempo,
  cumple: CampoDeCumple,
  foto: CampoDeFoto,
  logo: CampoDeArchivo,
  video: CampoDeArchivo,
  documento: CampoDeArchivo,
}

/** Any field of a form, and everything in it. */
export function Campo({ descriptor, ...rest }: PropsDeLugar) {
  if (descriptor.oculto || descriptor.clase === 'id') return null
  if (descriptor.clase === 'grupo') return <GrupoDeCampos descriptor={descriptor} {...rest} />
  if (descriptor.clase === 'lista')
    return (
      <ListaDeCampos descriptor={descriptor} {...rest}>
        {(en) => (
          <Campo
            descriptor={descriptor.de}
            documento={rest.documento}
            campo={[...rest.campo, en]}
            // Its title is the list's: what stands within it is one level below.
            nivel={Math.max(1, rest.nivel)}
            sinRotulo
          />
        )}
      </ListaDeCampos>
    )
  return <CampoSolo descriptor={descriptor} {...rest} />
}

function GrupoDeCampos({ descriptor, documento, campo, nivel, sinRotulo }: PropsDeLugar<Grupo>) {
  const { pluma, vista, fallas } = useMano()
  const id = useId()
  const { rotulo, ayuda, campos, opcional } = descriptor
  const isThere = !opcional || valorEn(vista.valores[documento], campo) !== undefined
  const clave = claveDe(documento, campo)
  const falla = fallas.get(clave)
  const place = useRef<HTMLElement>(null)
  useLlegada(clave, place)
  const Titulo = nivel <= 1 ? 'h2' : nivel === 2 ? 'h3' : 'h4'
  const inner = campos.map(({ nombre, campo: one }) => (
    <Campo key={nombre} descriptor={one} documento={documento} campo={[...campo, nombre]} nivel={nivel + 1} />
  ))
  if (sinRotulo) return <div className={styles.grupo}>{inner}</div>
  return (
    <section className={unir(styles.seccion, nivel > 1 && styles.dentro)} aria-labelledby={id} ref={place}>
      <div className={styles.cabeza}>
        <Titulo id={id}>{rotulo}</Titulo>
        {opcional && isThere && (
          <Button look="quiet" onClick={() => pluma.poner(documento, campo, undefined)}>
            Quitar<span className={styles.oculto}> {rotulo}</span>
          </Button>
        )}
      </div>
      {ayuda && <p className={styles.ayuda}>{ayuda}</p>}
      {falla && <p className={styles.falla}>{enOracion(falla)}</p>}
      {isThere ? (
        <div className={styles.grupo}>{inner}</div>
      ) : (
        <Button look="outline" onClick={() => pluma.poner(documento, campo, vacioDe(descriptor))}>
          Agregar<span className={styles.oculto}> {rotulo}</span>
        </Button>
      )}
    </section>
  )
}

/** From which share of its limit on a text says how much room is left. */
const CERCA = 0.8

function CampoSolo({ descriptor, documento, campo, sinRotulo }: PropsDeLugar<Hoja>) {
  const { pluma, vista, fallas, enFoco } = useMano()
  const clave = claveDe(documento, campo)
  const focused = enFoco === clave
  const valor = valorEn(vista.valores[documento], campo)
  const choque = vista.cola.choques.find(
    ({ retoque, perdido }) =>
      !perdido && retoque.que === 'poner' && claveDe(retoque.documento, retoque.campo) === clave,
  )
  const falla = fallas.get(clave)
  const ajeno = vista.cola.ajenos[clave]
  const { clase, rotulo, ayuda, max, opcional } = descriptor
  // An example helps whoever has written nothing yet.
  const ejemplo = valor === undefined || valor === '' ? descriptor.ejemplo : undefined
  const Entrada = ENTRADAS[clase as keyof typeof ENTRADAS]
  const length = typeof valor === 'string' ? valor.length : 0
  const isNear = max !== undefined && clase.startsWith('texto') && length > max * CERCA
  const hints = [falla && 'falla', (ayuda || ejemplo) && 'ayuda', isNear && 'cabe'].filter(Boolean)
  const describedBy = hints.map((one) => `${clave}-${one}`).join(' ') || undefined
  const place = useRef<HTMLDivElement>(null)
  useLlegada(clave, place)
  useNombrado({ documento, campo, isHere: focused })
  return (
    <div ref={place} className={unir(styles.campo, choque && styles.chocado)} data-clave={clave}>
      {clase !== 'si-no' && (
        <label htmlFor={clave} className={sinRotulo ? styles.oculto : styles.rotulo}>
          {rotulo}
          {opcional && <small> (opcional)</small>}
        </label>
      )}
      <Entrada
        id={clave}
        valor={valor}
        descriptor={descriptor}
        describedBy={describedBy}
        invalid={falla !== undefined}
        lugar={{ documento, campo }}
        onCambio={(next) => pluma.poner(documento, campo, next)}
      />
      {falla && (
        <p className={styles.falla} id={`${clave}-falla`}>
          {enOracion(falla)}
        </p>
      )}
      {isNear && (
        <p className={styles.ayuda} id={`${clave}-cabe`}>
          {length.toLocaleString('es-MX')} de {max.toLocaleString('es-MX')} caracteres
        </p>
      )}
      {(ayuda || ejemplo) && (
        <p className={styles.ayuda} id={`${clave}-ayuda`}>
          {ayuda} {ejemplo && <span>Por ejemplo: {ejemplo}</span>}
        </p>
      )}
      {ajeno && !choque && !focused && (
        <p className={styles.ajeno} role="status">
          {ajeno.quien ?? 'Otra persona'} cambió esto {hace(Date.now() - ajeno.at)}
        </p>
      )}
      {choque && <ChoqueDeCampo choque={choque} />}
    </div>
  )
}

/** Something new gets its id from its first name, once that is written, and keeps it from its publication on. */
function useNombrado({ documento, campo, isHere }: { documento: string; campo: Camino; isHere: boolean }) {
  const { pluma, vista, publicados } = useMano()
  const was = useRef(isHere)
  useEffect(() => {
    const left = was.current && !isHere
    was.current = isHere
    if (!left || campo.at(-1) !== 'nombre') return
    const item = valorEn(vista.valores[documento], campo.slice(0, -1))
    const others = valorEn(vista.valores[documento], campo.slice(0, -2))
    const own = valorEn(item, ['id'])
    if (typeof own !== 'string' || !own.startsWith(NUEVO) || publicados.includes(own)) return
    const named = slugOf(String(valorEn(item, ['nombre']) ?? '')).slice(0, 50)
    const isTaken = Array.isArray(others) && others.some((one) => isIgual(valorEn(one, ['id']), named))
    const id = isTaken ? named + own.slice(NUEVO.length - 1) : named
    if (named) pluma.poner(documento, [...campo.slice(0, -1), 'id'], id)
  })
}

/** «está vacío: escribe el texto» → «Está vacío: escribe el texto.» */
const enOracion = (falla: string) => `${falla.charAt(0).toUpperCase()}${falla.slice(1)}.`
