import { sql } from 'kysely'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { inscripcionesDe, readFila } from '#app/entries/data.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { AVISOS_WHATSAPP, PERMITIDO } from '#app/entries/definitions/field.ts'
import type { Inscripcion, Renglon } from '#app/entries/schema.ts'
import { COLUMNAS_DE_CORREO, listCorreosDe, toCorreoVisto } from '#app/mail/data.server.ts'
import type { CorreoVisto } from '#app/mail/schema.ts'
import { listAvisables } from './notifiable-entries.server.ts'
import { ocasionDe, PALABRAS_DEL_SITIO, textoDeWhatsApp } from './rules.ts'
import { type Aviso, type Contacto, type Destinataria, OCASIONES, type Ocasion, type Plantilla } from './schema.ts'

/** The words of an occasion as they are now: those that the organisers wrote last, or the site's. */
export async function readPlantilla(db: Database, ocasion: Ocasion): Promise<Plantilla> {
  const [last] = await plantillasDe(db, ocasion).limit(1).execute()
  return last ? toPlantilla(last) : { ocasion, version: 0, quien: null, at: null, ...PALABRAS_DEL_SITIO[ocasion] }
}

/** Every version of an occasion's words, the newest first; the site's own come last. */
export async function listPlantillas(db: Database, ocasion: Ocasion): Promise<Plantilla[]> {
  const rows = await plantillasDe(db, ocasion).execute()
  return [
    ...rows.map(toPlantilla),
    { ocasion, version: 0, quien: null, at: null, ...PALABRAS_DEL_SITIO[ocasion] } satisfies Plantilla,
  ]
}

/** Of every occasion the words as they are now. */
export const readPlantillas = (db: Database): Promise<Plantilla[]> =>
  Promise.all(OCASIONES.map((ocasion) => readPlantilla(db, ocasion)))

const plantillasDe = (db: Database, ocasion: Ocasion) =>
  db
    .selectFrom('plantillas')
    .leftJoin('profiles', 'profiles.id', 'plantillas.quien')
    .select(['ocasion', 'version', 'asunto', 'titulo', 'texto', 'email', 'at'])
    .where('ocasion', '=', ocasion)
    .orderBy('version', 'desc')

const toPlantilla = ({ email, ...row }: Omit<Plantilla, 'quien'> & { email: string | null }): Plantilla => ({
  ...row,
  quien: email,
})

/**
 * Entries as their people may be told of them, with what they were told already; those that are gone are left out.
 * @param held whether nobody changes or deletes them until the transaction ends
 */
export async function listDestinatarias(db: Database, ids: number[], held?: 'held'): Promise<Destinataria[]> {
  const found = await listAvisables(db, ids, held)
  const avisos = await listAvisos(
    db,
    found.map(({ id }) => id),
  )
  return found.map((one) => ({
    ...one,
    ocasion: ocasionDe(one.estado),
    avisos: avisos.filter(({ inscripcion, paso }) => inscripcion === one.id && paso === one.paso),
  }))
}

async function listAvisos(db: Database, ids: number[]): Promise<(Aviso & { inscripcion: number; paso: number })[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('mensajes')
    .innerJoin('correos', 'correos.id', 'mensajes.correo_id')
    .leftJoin('profiles', 'profiles.id', 'mensajes.quien')
    .select([...COLUMNAS_DE_CORREO, 'mensajes.inscripcion_id as inscripcion', 'mensajes.paso', 'ocasion', 'email'])
    .where('mensajes.inscripcion_id', 'in', ids)
    .orderBy('mensajes.id', 'desc')
    .execute()
  return rows.map(({ inscripcion, paso, ocasion, email, ...row }) => ({
    ...toCorreoVisto(row),
    ...{ inscripcion, paso, ocasion, quien: email },
  }))
}

type Trabajo = Pick<Services, 'db' | 'settings'>

/** How an entry's person is reached, with the text that WhatsApp opens with, and what was sent. */
export async function readContacto({ db, settings }: Trabajo, inscripcion: Inscripcion): Promise<Contacto> {
  const { id, tipo, folio, estado, correo, celular, telefono, historia } = inscripcion
  const [fila, correos, avisos, { nombre, anio }] = await Promise.all([
    readFila(db, FORMAS[tipo], id),
    listCorreosDe(db, id),
    listAvisos(db, [id]),
    loadFicha(),
  ])
  const permiteWhatsApp = fila.datos[AVISOS_WHATSAPP] === PERMITIDO
  const text = textoDeWhatsApp(inscripcion, `${nombre} ${anio}`, `${settings.publicUrl}/folio#${folio}`)
  const ocasion = ocasionDe(estado)
  return {
    ...{ id, correo, celular, correos, ocasion, permiteWhatsApp },
    tel: telefono === null ? undefined : `tel:${telefono}`,
    whatsapp:
      permiteWhatsApp && telefono ? `https://wa.me/${telefono.slice(1)}?text=${encodeURIComponent(text)}` : undefined,
    avisos: avisos.filter(({ paso }) => paso === historia[0]?.id),
    haySmtp: settings.smtpUrl !== undefined,
  }
}

/** An entry whose last message did not arrive. */
export interface NoLlegado extends CorreoVisto {
  inscripcion: Pick<Renglon, 'id' | 'folio' | 'titular' | 'detalle' | 'tipo'>
}

/**
 * Entries of an edition whose last message was refused, came back, or stayed in a folder. One that was sent a newer
 * message is not among them.
 */
const noLlegados = (db: Database, edicion: number) =>
  inscripcionesDe(db, { edicion })
    .clearOrderBy()
    .innerJoin('correos', 'correos.inscripcion_id', 'inscripciones.id')
    .where('correos.inscripcion_id', 'is not', null)
    .where(sql<boolean>`(correos.failed_at is not null or correos.rebotado_at is not null or correos.en_carpeta)`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('correos as newer')
            .select('newer.id')
            .whereRef('newer.inscripcion_id', '=', 'correos.inscripcion_id')
            .whereRef('newer.id', '>', 'correos.id'),
        ),
      ),
    )

/**
 * How many entries of an edition there are whose last message did not arrive. @public for the desk's home
 * @param desde by the database's clock: only those of which it is known since then
 */
export async function countNoLlegados(db: Database, edicion: number, desde?: Date): Promise<number> {
  const found = noLlegados(db, edicion)
  const since = desde
    ? found.where(
        sql<boolean>`greatest(correos.failed_at, correos.rebotado_at, case when correos.en_carpeta then correos.sent_at end) > ${desde}`,
      )
    : found
  const { cuantos } = await since.select(({ fn }) => fn.countAll<number>().as('cuantos')).executeTakeFirstOrThrow()
  return cuantos
}

const MAX_NO_LLEGADOS = 200

/** Those entries, the latest first, at most 200. */
export async function listNoLlegados(db: Database, edicion: number): Promise<NoLlegado[]> {
  const rows = await noLlegados(db, edicion)
    .select([...COLUMNAS_DE_CORREO])
    .select([
      'inscripciones.id as inscripcion',
      'inscripciones.folio',
      'inscripciones.titular',
      'inscripciones.detalle',
      'inscripciones.tipo',
    ])
    .orderBy('correos.id', 'desc')
    .limit(MAX_NO_LLEGADOS)
    .execute()
  return rows.map(({ inscripcion, folio, titular, detalle, tipo, ...row }) => ({
    ...toCorreoVisto(row),
    inscripcion: { id: inscripcion, folio, titular, detalle, tipo },
  }))
}
