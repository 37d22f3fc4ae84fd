import { periodos } from './ajustes/periodos.direccion.server.ts'
import { sellos } from './escrutinio/sellos.direccion.server.ts'
import { archivos } from './inscripciones/archivos.direccion.server.ts'
import type { Direccion } from './platform/direccion.server.ts'
import { lista, vive } from './platform/salud.direccion.server.ts'
import { voto } from './popularidad/voto.direccion.server.ts'
import { imagenes } from './prensa/imagenes.direccion.server.ts'
import { subidasDelSitio } from './redaccion/subidas.direccion.server.ts'
import { subidas } from './registros/subidas.direccion.server.ts'
import { visto } from './visitas/visto.direccion.server.ts'

/**
 * The addresses that are answered before the router, in this order; every other one stands in routes.ts, but for the
 * files that the build leaves in build/client.
 */
export const DIRECCIONES: readonly Direccion[] = [
  vive,
  lista,
  periodos,
  subidas,
  subidasDelSitio,
  archivos,
  voto,
  visto,
  sellos,
  imagenes,
]
