import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { LikelyDuplicate } from './schema.ts'

const MAX_LIKELY_DUPLICATES = 6

/**
 * Lists entries of the same edition that may duplicate an entry: they have the same telephone number in any spelling, the same
 * name but for case, accents and repeated spaces, or a document with the same bytes as a current document of the entry. Each of
 * the three is looked up through an index and yields at most MAX_LIKELY_DUPLICATES entries, from which those being deleted are then
 * left out. Entries with more reasons come first.
 */
export async function listLikelyDuplicates(db: Database, id: number): Promise<LikelyDuplicate[]> {
  const { rows } = await sql<LikelyDuplicate>`
    with entry as (
      select id, edicion, nombre_llano(titular) as nombre, mismo_telefono(celular) as telefono
      from inscripciones where id = ${id}
    ), matches as (
      (select i.id, 'celular' as reason from entry join inscripciones i
        on i.edicion = entry.edicion and telefonos_buscables(i.celular) @@ entry.telefono and i.id <> entry.id
        order by i.id limit ${MAX_LIKELY_DUPLICATES})
      union all
      (select i.id, 'nombre' from entry join inscripciones i
        on i.edicion = entry.edicion and nombre_llano(i.titular) = entry.nombre and i.id <> entry.id
        order by i.id limit ${MAX_LIKELY_DUPLICATES})
      union all
      (select distinct i.id, 'archivo' from entry
        join documentos d on d.inscripcion_id = entry.id and d.reemplazado_at is null
        join documentos o on o.sha256 = d.sha256 and o.inscripcion_id <> entry.id
        join inscripciones i on i.id = o.inscripcion_id and i.edicion = entry.edicion
        order by i.id limit ${MAX_LIKELY_DUPLICATES})
    )
    select inscripciones.id, titular, folio, tipo, estado, array_agg(distinct reason order by reason desc) as reasons
    from matches join inscripciones on inscripciones.id = matches.id
    where inscripciones.id <> all (array(select inscripcion_id from borrados))
    group by inscripciones.id
    order by count(*) desc, inscripciones.id
    limit ${MAX_LIKELY_DUPLICATES}`.execute(db)
  return rows
}
