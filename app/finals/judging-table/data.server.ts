import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { enHora, enReloj } from '#app/core/time/mexico-dates.ts'
import { listJurado, loadParaAbrir, readActa, readPublica, readSinFirmar } from '#app/finals/record/data.server.ts'
import { notesOf } from '#app/finals/record/notes.ts'
import {
  cuantasPasan,
  type Empate,
  enPuntos,
  ordenDe,
  ordenFinal,
  puntosDeRonda,
  puntosPorJuez,
} from '#app/finals/record/scoring.ts'
import { activas, type Final, juezDe, nombreDe, numeroDe, type RondaLlevada } from '#app/finals/record/state.ts'

/** Everything that the notary's table shows. While a round is open, no figure of it. */
export async function readMesa({ db, keyed, clock }: Pick<Services, 'db' | 'keyed' | 'clock'>) {
  const { edicion, reglas: deEdicion, candidatas } = await loadParaAbrir()
  const acta = await readActa({ db, keyed }, edicion)
  const { final, anuladas } = acta.estado
  const reglas = final?.reglas ?? deEdicion
  const publica = await readPublica(db, edicion)
  const jurado = await listJurado(db, edicion, Math.max(reglas.jueces, deEdicion.jueces), clock.now())
  const edicionPuesta = await loadEdicion()
  const published = new Set(edicionPuesta.candidatas.map(({ id }) => id))
  const abierta = final?.rondas.find(({ cerrada }) => !cerrada)
  const sinFirmar = abierta && (await readSinFirmar(db, edicion, abierta.numero))
  return {
    edicion,
    certamen: edicionPuesta.nombre,
    alterado: acta.alterado ?? null,
    reglas,
    candidatas: candidatas.map(({ numero, nombre }) => ({ numero, nombre })),
    jurado: jurado.map(({ cuenta, desde, ...juez }) => ({ ...juez, desde: desde && enHora(desde) })),
    anuladas: anuladas.map(({ motivo, levantada }) => ({ motivo, a: enReloj(new Date(levantada)) })),
    final: final && {
      abierta: enReloj(new Date(final.apertura.levantada)),
      rondas: final.rondas.map((ronda) => (ronda.cerrada ? cerrada(final, ronda) : enCurso(final, ronda, sinFirmar))),
      notas: notesOf(acta.estado),
      candidatas: final.apertura.candidatas
        .filter(({ id }) => !final.retiradas.has(id))
        .map(({ id, numero, nombre }) => ({ id, numero, nombre })),
      /** Who is no longer on the site, and still in the final. */
      ausentes: final.apertura.candidatas
        .filter(({ id }) => !published.has(id) && !final.retiradas.has(id))
        .map(({ nombre }) => nombre),
      cierre: final.cierre
        ? { orden: filasDelFinal(final), sello: acta.sello, levantada: enReloj(new Date(final.cierre.levantada)) }
        : null,
      provisional: final.rondas.length === reglas.rondas.length && !abierta ? filasDelFinal(final) : null,
    },
    publica: publica ? enReloj(publica) : null,
  }
}

export type Mesa = Awaited<ReturnType<typeof readMesa>>

/** The last order in words. */
export const filasDelFinal = (final: Final) =>
  (final.cierre?.orden ?? ordenFinal(final)).map(({ lugar, candidata, ronda, total, titulo }) => ({
    ...{ lugar, id: candidata, numero: numeroDe(final, candidata), nombre: nombreDe(final, candidata) },
    ...{ puntos: enPuntos(total), titulo: titulo ?? null, ronda: final.reglas.rondas[ronda - 1]!.nombre },
  }))

function enCurso(final: Final, ronda: RondaLlevada, sinFirmar: Awaited<ReturnType<typeof readSinFirmar>> | undefined) {
  const rules = final.reglas.rondas[ronda.numero - 1]!
  const present = activas(final, ronda)
  const all = present.length * rules.criterios.length
  return {
    ...{ numero: ronda.numero, nombre: rules.nombre, estado: 'abierta' as const, candidatas: present.length },
    desde: enHora(new Date(ronda.abierta)),
    hojas: final.apertura.jurado.map(({ numero: juez }) => {
      const firmada = ronda.hojas.get(juez)
      const escrita = sinFirmar?.get(juez)?.calificaciones ?? {}
      const done = present.reduce((sum, id) => sum + (escrita[id] ?? []).filter((mark) => mark !== null).length, 0)
      return {
        ...{ juez, quien: juezDe(final, juez) },
        firmada: firmada ? enHora(new Date(firmada.levantada)) : null,
        avance: firmada ? 100 : Math.floor((done * 100) / all),
      }
    }),
  }
}

/** A closed round as the table and the published act show it. */
export function cerrada(final: Final, ronda: RondaLlevada) {
  const { nombre, desdeCero } = final.reglas.rondas[ronda.numero - 1]!
  const { orden, empates } = ordenDe(final, ronda)
  const next = final.rondas.find(({ numero }) => numero === ronda.numero + 1)
  const isLast = ronda.numero === final.reglas.rondas.length
  const jueces = [...ronda.hojas.keys()].sort((one, other) => one - other)
  return {
    ...{ numero: ronda.numero, nombre, desdeCero, estado: 'cerrada' as const },
    jueces: jueces.map((juez) => juezDe(final, juez)),
    filas: orden.map(({ candidata, total }, at) => ({
      ...{ lugar: at + 1, id: candidata, numero: numeroDe(final, candidata), nombre: nombreDe(final, candidata) },
      porJuez: puntosPorJuez(final, ronda, candidata).map(({ puntos, fuera }) => ({ puntos: enPuntos(puntos), fuera })),
      ...{ ronda: enPuntos(puntosDeRonda(final, ronda, candidata)), total: enPuntos(total) },
      pasa: isLast ? null : next ? next.candidatas.includes(candidata) : at < cuantasPasan(final, ronda),
    })),
    empates: empates.map((empate) => enPalabras(final, empate)),
    sin: (ronda.cerrada?.sin ?? []).map(({ juez, motivo }) => ({ quien: juezDe(final, juez), motivo })),
  }
}

/** How a tie was settled, in words. */
function enPalabras(final: Final, { antes, despues, total, por }: Empate): string {
  const [una, otra] = [nombreDe(final, antes), nombreDe(final, despues)]
  const tie = `${una} y ${otra} empatan con ${enPuntos(total)} puntos.`
  if (por.que === 'sorteo') return `${tie} Nada de la regla las distingue: va antes ${una} por el sorteo del acta.`
  const where = por.criterio === undefined ? `en la ronda «${por.ronda}»` : `en «${por.criterio}» de «${por.ronda}»`
  const said = por.criterio === undefined ? enPuntos : (decimas: number) => String(decimas / 10)
  return `${tie} Va antes ${una}: ${where} tuvo ${said(por.uno)}, y ${otra} ${said(por.otro)}.`
}
