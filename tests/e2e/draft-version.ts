import type { Site } from './site.ts'

/** Reads the query by which a form of «El sitio» says that it has seen the newest version of a document. */
export async function seenVersion(site: Site, document: string): Promise<string> {
  const [row] = await site.sql<{ version: string }>(
    `select coalesce(
       (select version::text from borradores where edicion = 2025 and documento = $1),
       (select 'p' || left(huella, 16) from publicaciones where id = (select publicacion from ediciones where actual))
     ) as version`,
    [document],
  )
  return `anio=2025&v=${document}:${row!.version}`
}
