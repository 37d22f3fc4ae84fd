import { useEffect, useRef, useState } from 'react'
import { useNavigationType } from 'react-router'
import type { Forma } from '#app/inscripciones/formas.ts'
import { hace } from '#app/platform/fechas.ts'
import { Button } from '#app/ui/button.tsx'
import { type Borrador, discardBorrador, findBorrador, isOfThisTab, loadFiles, newEntrega } from './borrador.client.ts'
import { Exito } from './exito.tsx'
import styles from './formulario.module.css'
import { Formulario, type TextosFormulario } from './formulario.tsx'
import { type Comienzo, documentosOf } from './registro-estado.ts'
import type { ResultadoRegistro } from './schema.ts'
import { dropUpload } from './subida.client.ts'

interface RegistroProps {
  forma: Forma
  /** Of this rendering: what a new submission goes under. */
  entrega: string
  /** What a submission without JavaScript came to. */
  resultado: ResultadoRegistro | undefined
  textos: TextosFormulario
}

/** Whether a form stood on the screen before in this document: then its history goes on in it. */
let isKnown = false

/** Whether a document came by a reload, or by Back and Forward. */
const isReturn = () => {
  const [entry] = performance.getEntriesByType('navigation')
  return entry instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(entry.type)
}

/** The form's lives: as the server sent it, taken up from a draft, made blank again by success. */
export function Registro({ forma, entrega, resultado, textos }: RegistroProps) {
  const [vida, setVida] = useState(() => ({ numero: 0, comienzo: comienzoOf(entrega, resultado) }))
  /** The folio of the registration that just went in. */
  const [exito, setExito] = useState(resultado?.ok ? resultado.folio : undefined)
  const [oferta, setOferta] = useState<Borrador>()
  const banner = useRef<HTMLDivElement>(null)
  const page = useRef<HTMLDivElement>(null)
  const navigation = useNavigationType()
  /** A file was chosen in this form. */
  const begun = useRef(false)

  /** The control that has the focus in a new form, by its id. */
  const focused = useRef<string>(undefined)

  const begin = (comienzo: Comienzo) => setVida(({ numero }) => ({ numero: numero + 1, comienzo }))

  useEffect(() => {
    if (focused.current) document.getElementById(focused.current)?.focus({ preventScroll: true })
    focused.current = undefined
  }, [vida.numero])

  /** What stands in the fields already: typed before this script arrived, or brought back by the browser itself. */
  function typed(): Record<string, string> {
    const controls = page.current?.querySelector('form')?.elements
    return Object.fromEntries(
      forma.campos.flatMap(({ nombre }) => {
        const control = controls?.namedItem(nombre)
        const isTyped = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement
        const isUnticked = control instanceof HTMLInputElement && control.type === 'checkbox' && !control.checked
        return isTyped && !isUnticked && control.value !== '' ? [[nombre, control.value]] : []
      }),
    )
  }

  useEffect(() => {
    let gone = false
    // Whoever comes by a link or an address may want another registration, and is asked.
    const isBack = navigation === 'POP' && (isKnown || isReturn())
    isKnown = true
    void findBorrador(forma.tipo).then(async (found) => {
      if (gone || !found) return
      const comienzo = await comienzoFrom(found)
      if (gone) return
      const early = typed()
      const isOwn = isBack && isOfThisTab(found) && !resultado && !begun.current && isSame(early, found.valores)
      if (!isOwn) return setOferta(found)
      focused.current = page.current?.contains(document.activeElement) ? document.activeElement?.id : undefined
      begin({ ...comienzo, valores: { ...comienzo.valores, ...early }, retomado: true })
    })
    return () => {
      gone = true
    }
  }, [])

  // Not when it came with the page: then the page itself was scrolled to it.
  useEffect(() => {
    if (exito && vida.numero > 0) banner.current?.focus()
  }, [exito, vida.numero])

  async function goOn(borrador: Borrador) {
    const comienzo = await comienzoFrom(borrador)
    setOferta(undefined)
    setExito(undefined)
    begin(comienzo)
  }

  function drop(borrador: Borrador) {
    void discardBorrador(borrador.entrega)
    for (const { url } of borrador.archivos) dropUpload(borrador.entrega, url)
    setOferta(undefined)
  }

  return (
    <div ref={page}>
      {oferta && <Oferta borrador={oferta} onGoOn={() => void goOn(oferta)} onDrop={() => drop(oferta)} />}
      <Formulario
        key={vida.numero}
        forma={forma}
        comienzo={vida.comienzo}
        textos={textos}
        onBegin={() => {
          begun.current = true
          setExito(undefined)
        }}
        onDrop={() => {
          focused.current = forma.campos[0]?.nombre
          begin(comienzoOf(newEntrega(), undefined))
        }}
        onExito={(folio) => {
          begin(comienzoOf(newEntrega(), undefined))
          setExito(folio)
        }}
      />
      {exito && <Exito folio={exito} texto={textos.exito} ref={banner} />}
    </div>
  )
}

function comienzoOf(entrega: string, resultado: ResultadoRegistro | undefined): Comienzo {
  const rechazo = resultado && !resultado.ok ? resultado : undefined
  return {
    entrega: rechazo?.entrega ?? entrega,
    valores: rechazo?.valores ?? {},
    documentos: documentosOf(() => []),
    recibidos: rechazo?.recibidos ?? {},
    mensaje: rechazo && { message: rechazo.message },
    errores: rechazo?.campos ?? [],
    seguir: false,
    retomado: false,
  }
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

const plurals = new Intl.PluralRules('es-MX')
const archivos = (count: number) => (plurals.select(count) === 'one' ? '1 archivo' : `${count} archivos`)

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
