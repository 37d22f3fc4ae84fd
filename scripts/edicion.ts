import { createContentFolder } from '#app/cms/editions/new-content-folder.server.ts'
import { endWithFault, inOwnWords } from '../server/end-with-fault.ts'

const USAGE = `Uso:
  npm run edicion -- nueva 2026              copia la edición actual de content/ a content/2026, para otro año
  npm run edicion -- exportar 2025 carpeta   escribe lo publicado de una edición, con sus archivos, en una carpeta nueva
  npm run edicion -- importar carpeta        publica lo que dice una carpeta así`

const [verb, first, second, ...rest] = process.argv.slice(2)
const isYear = /^\d{4}$/.test(first ?? '')
if (verb === 'nueva' && isYear && second === undefined) await createYear(Number(first))
else if (verb === 'exportar' && isYear && second !== undefined && rest.length === 0) {
  const { exportEdition } = await import('./commands/export-import.ts')
  console.log(await exportEdition(Number(first), second).catch(endWithFault))
} else if (verb === 'importar' && first !== undefined && second === undefined) {
  const { importEdition } = await import('./commands/export-import.ts')
  console.log(await importEdition(first).catch(endWithFault))
} else {
  console.error(inOwnWords(USAGE))
  process.exit(2)
}

async function createYear(year: number): Promise<void> {
  const result = await createContentFolder(year)
  if (!result.ok) {
    console.error(`No se preparó la edición ${year}: ${result.reason}.`)
    process.exit(1)
  }
  console.log(`La edición ${year} está en ${result.folder}, copiada de la actual.
Tiene ${result.pendingCount} datos marcados con «# CAMBIAR»: corrige cada uno y borra su marca.
  npm run contenido -- revisar ${year}   dice cuáles faltan
  content/actual.yaml                    dice qué edición muestra el sitio: cámbialo cuando esté lista`)
}
