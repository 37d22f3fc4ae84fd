import { expect, test } from 'vitest'
import { type AuditSubject, actionInWords, EVENT_FILTERS, subjectInWords } from './schema.ts'

const NOTHING = {
  cuenta: null,
  rastro: null,
  inscripcion: null,
  documento: null,
  edicion: null,
  acuse: null,
  datos: null,
}
const statement = (subject: Partial<AuditSubject> & { que: string }) => subjectInWords({ ...NOTHING, ...subject })

test('a log line describes its subject in Spanish', () => {
  const value = { abre: '2025-06-01T00:00:00-06:00', cierra: '2025-07-01T00:00:00-06:00' }
  const selected = {
    elegidas: 41,
    ids: [7, 9],
    tipo: 'traje',
    estado: 'aceptada',
    fueraDeEdad: true,
    conBusqueda: true,
  }
  expect([
    statement({ que: 'ajuste.registro.trajes', edicion: 2025, datos: { valor: value } }),
    statement({ que: 'ajuste.prensa.publica', datos: { valor: true } }),
    statement({ que: 'ajuste.prensa.publica', datos: { valor: false } }),
    statement({ que: 'ajuste.privacidad.dias', edicion: 2025, datos: { valor: 45 } }),
    statement({ que: 'ajuste.privacidad.dias', edicion: 2025 }),
    statement({ que: 'ajuste.votacion.ganadora', datos: { sobre: 'Ana, entre empatadas: Ana, Eva' } }),
    statement({ que: 'documento.visto', documento: 3, inscripcion: 7, datos: { falla: 'danado' } }),
    statement({ que: 'documento.original', inscripcion: 7 }),
    statement({ que: 'inscripcion.aceptada', inscripcion: 7 }),
    statement({ que: 'borrado.plazo', acuse: 'B-AAAAA-AAAAA', inscripcion: 7 }),
    statement({ que: 'exporte.csv', edicion: 2025 }),
    statement({ que: 'exporte.csv', edicion: 2025, datos: { elegidas: 1, ids: [9] } }),
    statement({ que: 'exporte.zip', edicion: 2025, datos: selected }),
    statement({ que: 'cuenta.baja', cuenta: 'ana@medio.example' }),
    statement({ que: 'acceso.fallido', rastro: 'kJ8s0-rastro' }),
    statement({ que: 'voto.anulados', datos: { anulacion: 12 } }),
    statement({ que: 'voto.acta-de-cero', edicion: 2025 }),
    statement({ que: 'salida' }),
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

test('an action has its Spanish text, and an event name of an earlier version is shown as stored', () => {
  expect(actionInWords('acceso')).toBe('Entró con contraseña')
  expect(actionInWords('voto.acta-vieja')).toBe('voto · acta vieja')
  expect(actionInWords('constructor')).toBe('constructor')
  expect(Object.values(EVENT_FILTERS)).toContain('voto')
})
