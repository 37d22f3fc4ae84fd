import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { LikelyDuplicate } from './schema.ts'

const MAX_LIKELY_DUPLICATES = 6
/**
 * Lists entries of the same edition that may duplicate an entry: the same telephone in any spelling, the same name but for
 * case, accents and spaces, or a document with the same bytes as a current document of the entry. Each of the three is looked
 * up through an index, and gives at most MAX_LIKELY_DUPLICATES; entries with more reasons come first.
 */
export async function listLikelyDuplicates(db: Database, id: number): Promise<LikelyDuplicate[]> {
  const { rows } = await sql<LikelyDuplicate>`
    with una as (
      select id, edicion, nombre_llano(titular) as nombre, mismo_telefono(celular) as telefono
      from inscripciones where id = ${id}
    ), halladas as (
      (select i.id, 'celular' as por from una join inscripciones i
        on i.edicion = una.edicion and telefonos_buscables(i.celular) @@ una.telefono and i.id <> una.id
        order by i.id limit ${MAX_LIKELY_DUPLICATES})
      union all
      (select i.id, 'nombre' from una join inscripciones i
        on i.edicion = una.edicion and nombre_llano(i.titular) = una.nombre and i.id <> una.id
        order by i.id limit ${MAX_LIKELY_DUPLICATES})
      union all
      (select distinct i.id, 'archivo' from una
        join documentos d on d.inscripcion_id = una.id and d.reemplazado_at is null
        join documentos o on o.sha256 = d.sha256 and o.inscripcion_id <> una.id
        join inscripciones i on i.id = o.inscripcion_id and i.edicion = una.edicion
        order by i.id limit ${MAX_LIKELY_DUPLICATES})
    )
    select inscripciones.id, titular, folio, tipo, estado, array_agg(distinct por order by por desc) as reasons
    from halladas join inscripciones on inscripciones.id = halladas.id
    where inscripciones.id <> all (array(select inscripcion_id from borrados))
    group by inscripciones.id
    order by count(*) desc, inscripciones.id
    limit ${MAX_LIKELY_DUPLICATES}`.execute(db)
  return rows
}
