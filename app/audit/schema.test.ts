import { expect, test } from 'vitest'
import { type Asunto, asuntoEnPalabras, CLASES, queEnPalabras } from './schema.ts'

const NADA = { cuenta: null, rastro: null, inscripcion: null, documento: null, edicion: null, acuse: null, datos: null }
const dicho = (asunto: Partial<Asunto> & { que: string }) => asuntoEnPalabras({ ...NADA, ...asunto })

test('a line of the log says in words what it is about', () => {
  const valor = { abre: '2025-06-01T00:00:00-06:00', cierra: '2025-07-01T00:00:00-06:00' }
  const elegidas = {
    elegidas: 41,
    ids: [7, 9],
    tipo: 'traje',
    estado: 'aceptada',
    fueraDeEdad: true,
    conBusqueda: true,
  }
  expect([
    dicho({ que: 'ajuste.registro.trajes', edicion: 2025, datos: { valor } }),
    dicho({ que: 'ajuste.prensa.publica', datos: { valor: true } }),
    dicho({ que: 'ajuste.prensa.publica', datos: { valor: false } }),
    dicho({ que: 'ajuste.privacidad.dias', edicion: 2025, datos: { valor: 45 } }),
    dicho({ que: 'ajuste.privacidad.dias', edicion: 2025 }),
    dicho({ que: 'ajuste.votacion.ganadora', datos: { sobre: 'Ana, entre empatadas: Ana, Eva' } }),
    dicho({ que: 'documento.visto', documento: 3, inscripcion: 7, datos: { falla: 'danado' } }),
    dicho({ que: 'documento.original', inscripcion: 7 }),
    dicho({ que: 'inscripcion.aceptada', inscripcion: 7 }),
    dicho({ que: 'borrado.plazo', acuse: 'B-AAAAA-AAAAA', inscripcion: 7 }),
    dicho({ que: 'exporte.csv', edicion: 2025 }),
    dicho({ que: 'exporte.csv', edicion: 2025, datos: { elegidas: 1, ids: [9] } }),
    dicho({ que: 'exporte.zip', edicion: 2025, datos: elegidas }),
    dicho({ que: 'cuenta.baja', cuenta: 'ana@medio.example' }),
    dicho({ que: 'acceso.fallido', rastro: 'kJ8s0-rastro' }),
    dicho({ que: 'voto.anulados', datos: { anulacion: 12 } }),
    dicho({ que: 'voto.acta-de-cero', edicion: 2025 }),
    dicho({ que: 'salida' }),
  ]).toEqual([
    'de 2025-06-01 00:00 a 2025-07-01 00:00',
    'cualquiera, sin cuenta',
    'sólo prensa acreditada',
    '45 días',
    'lo que dice el contenido',
    'Ana, entre empatadas: Ana, Eva',
    'documento 3, inscripción 7: danado',
    'metadatos, inscripción 7',
    'inscripción 7',
    'acuse B-AAAAA-AAAAA, inscripción 7',
    'edición 2025',
    'edición 2025, 1 elegida: 9',
    'edición 2025, 41 elegidas: 7 9 …, traje, aceptada, fuera de edad, con búsqueda',
    'ana@medio.example',
    'cuenta kJ8s0-',
    '12',
    '2025',
    undefined,
  ])
})

test('what was done has its words; what a version before called otherwise is shown as it is kept', () => {
  expect(queEnPalabras('acceso')).toBe('Entró con contraseña')
  expect(queEnPalabras('voto.acta-vieja')).toBe('voto · acta vieja')
  expect(queEnPalabras('constructor')).toBe('constructor')
  expect(Object.values(CLASES)).toContain('voto')
})
