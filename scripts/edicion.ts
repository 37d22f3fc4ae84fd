import { createEdicion } from '#app/edicion/nueva-edicion.server.ts'

const [verb, anio] = process.argv.slice(2)
if (verb !== 'nueva' || !/^\d{4}$/.test(anio ?? '')) {
  console.error('Uso: npm run edicion -- nueva 2026')
  process.exit(2)
}
const result = await createEdicion(Number(anio))
if (!result.ok) {
  console.error(`No se preparó la edición ${anio}: ${result.motivo}.`)
  process.exit(1)
}
console.log(`La edición ${anio} está en ${result.carpeta}, copiada de la actual.
Tiene ${result.pendientes} datos marcados con «# CAMBIAR»: corrige cada uno y borra su marca.
  npm run contenido -- revisar ${anio}   dice cuáles faltan
  content/actual.yaml                    dice qué edición muestra el sitio: cámbialo cuando esté lista`)
