import { createContentFolder } from '#app/cms/editions/new-content-folder.server.ts'
import { endWithFault, inOwnWords } from '../server/end-with-fault.ts'

const USAGE = `Uso:
  npm run edicion -- nueva 2026              copia la edición actual de content/ a content/2026, para otro año
  npm run edicion -- exportar 2025 carpeta   escribe lo publicado de una edición, con sus archivos, en una carpeta nueva
  npm run edicion -- importar carpeta        publica lo que dice una carpeta así`

const [verb, firstArgument, secondArgument, ...rest] = process.argv.slice(2)
const isYear = /^\d{4}$/.test(firstArgument ?? '')
if (verb === 'nueva' && isYear && secondArgument === undefined) await createYear(Number(firstArgument))
else if (verb === 'exportar' && isYear && secondArgument !== undefined && rest.length === 0) {
  const { exportEdition } = await import('./commands/export-import.ts')
  console.log(await exportEdition(Number(firstArgument), secondArgument).catch(endWithFault))
} else if (verb === 'importar' && firstArgument !== undefined && secondArgument === undefined) {
  const { importEdition } = await import('./commands/export-import.ts')
  console.log(await importEdition(firstArgument).catch(endWithFault))
} else {
  console.error(inOwnWords(USAGE))
  process.exit(2)
}

async function createYear(year: number): Promise<void> {
  const creationResult = await createContentFolder(year)
  if (!creationResult.ok) {
    console.error(`No se preparó la edición ${year}: ${creationResult.reason}.`)
    process.exit(1)
  }
  console.log(`La edición ${year} está en ${creationResult.folder}, copiada de la actual.
Tiene ${creationResult.pendingCount} datos marcados con «# CAMBIAR»: corrige cada uno y borra su marca.
  npm run contenido -- revisar ${year}   dice cuáles faltan
  content/actual.yaml                    dice qué edición muestra el sitio: cámbialo cuando esté lista`)
}
