import { expect, test } from 'vitest'
import { describeFiltro, siguientes } from '#app/inscripciones/rules.ts'
import { campoDe, readFiltro, sobreEnPalabras, toId, toParams } from './rules.ts'

test('what an address says of a filter is read, and whatever it says wrongly is not said', () => {
  const said = new URLSearchParams('tipo=traje&estado=en-revision&edad=fuera&buscar=+ana+&id=3&id=-1&id=x&id=1e99')
  const filtro = { edicion: 2025, tipo: 'traje', estado: 'en-revision', fueraDeEdad: true, texto: 'ana', ids: [3] }
  expect(readFiltro(said, 2025)).toEqual(filtro)
  expect(readFiltro(new URLSearchParams('tipo=x&estado=x&edad=x&buscar=++&id=0'), 2025)).toEqual({ edicion: 2025 })
  expect(toParams(readFiltro(said, 2025))).toBe('?tipo=traje&estado=en-revision&edad=fuera&buscar=ana')
  expect(describeFiltro(readFiltro(said, 2025))).not.toContain('ana')
})

test('no organiser sets an entry back to how it came', () => {
  expect(siguientes('aceptada')).toEqual(['en-revision', 'falta-documento', 'rechazada'])
})

test('a line of the log says in words what it is about', () => {
  const said = [
    ['ajuste.registro.trajes', '{"abre":"2025-06-01T00:00:00-06:00","cierra":"2025-07-01T00:00:00-06:00"}'],
    ['ajuste.prensa.publica', 'true'],
    ['ajuste.privacidad.dias', '45'],
    ['ajuste.privacidad.dias', 'lo que dice el contenido'],
    ['documento.visto', 'documento 3, inscripcion 7: danado'],
    ['exporte.csv', 'edición 2025, 1 elegidas: 9'],
    ['cuenta.baja', 'ana@medio.example'],
  ].map(([que, sobre]) => sobreEnPalabras(que!, sobre!))
  expect(said.map(({ texto }) => texto)).toEqual([
    'de 2025-06-01 00:00 a 2025-07-01 00:00',
    'cualquiera, sin cuenta',
    '45 días',
    'lo que dice el contenido',
    'documento 3, inscripción 7: danado',
    'edición 2025, 1 elegida: 9',
    'ana@medio.example',
  ])
  expect(said.map(({ inscripcion }) => inscripcion)).toEqual([...Array(4), 7, undefined, undefined])
})

test('what an address or a form says is cut down to what there can be', () => {
  expect(['7', '0', '-1', '1.5', '1e99', 'x', '', null, '9223372036854775808'].map(toId)).toEqual([
    ...[7, 0, 0, 0, 0, 0, 0, 0, 0],
  ])
  const form = new FormData()
  form.set('medio', ' Ra\0dio ')
  expect([campoDe(form, 'medio'), campoDe(new URLSearchParams('a=%00'), 'a'), campoDe(form, 'nada')]).toEqual([
    ...['Radio', '', ''],
  ])
})
