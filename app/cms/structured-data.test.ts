import { describe, expect, it } from 'vitest'
import type { Edicion } from '#app/cms/editions/displayed-edition.server.ts'
import { datosDe } from './structured-data.server.ts'

const imagen = { base: '/img/x-1', anchoJpeg: 960, ancho: 960, alto: 640, alt: 'x' }
const edicion = {
  nombre: 'Señorita Azahares',
  anio: 2025,
  descripcion: 'El certamen </script> de la feria.',
  feria: { nombre: 'Feria de Azahares', desde: 1925, aniversario: 100, inicia: '2025-09-12', termina: '2025-09-28' },
  fechas: { coronacion: '2025-09-27T20:00:00-06:00' },
  lugar: {
    domicilio: 'Portal 14',
    ciudad: 'Azahares',
    estado: 'Jalisco',
    codigoPostal: '47180',
    mapa: 'https://m.example',
  },
  redes: { facebook: 'https://facebook.com/a', instagram: 'https://instagram.com/a' },
  tarjetas: { inicio: { url: '/img/tarjeta-inicio-1.jpg' } },
  inicio: { noticias: [{ titulo: 'La corona', texto: 'A mano.', imagen }] },
  historia: { reina: { nombre: 'María José', foto: imagen, nacimiento: 'Azahares', bio: ['Segunda de cuatro.'] } },
  candidatas: [{ nombre: 'Paola', id: 'paola', origen: 'San Blas', semblanza: 'Canta.', galeria: [imagen] }],
  maestros: [
    {
      nombre: 'Lorena',
      slug: 'lorena',
      puesto: ['Directora', 'y coordinadora'],
      bio: ['Dirige.'],
      foto: imagen,
      redes: {},
    },
    { nombre: 'Rocío', slug: 'rocio', puesto: ['Maestra de baile'], bio: ['Baila.'], foto: imagen, redes: {} },
  ],
} as unknown as Edicion

const json = (ruta: string) => datosDe(ruta, edicion, 'https://azahares.example')
/** The JSON-LD of a screen, as a list. */
const grafo = (ruta: string) => JSON.parse(json(ruta) ?? '{"@graph":[]}')['@graph'] as Record<string, unknown>[]
const deTipo = (ruta: string, tipo: string) => grafo(ruta).filter((uno) => uno['@type'] === tipo)

describe('datosDe', () => {
  it('names the fair and its final on the home, with dates, place, organiser and picture', () => {
    const comun = {
      location: { address: { addressLocality: 'Azahares', postalCode: '47180' } },
      organizer: { name: 'Señorita Azahares' },
      image: 'https://azahares.example/img/tarjeta-inicio-1.jpg',
    }
    expect(deTipo('/', 'Festival')).toMatchObject([
      { name: 'Feria de Azahares 2025', startDate: '2025-09-12', endDate: '2025-09-28', ...comun },
    ])
    expect(deTipo('/', 'Event')).toMatchObject([{ startDate: '2025-09-27T20:00:00-06:00', ...comun }])
    expect(deTipo('/', 'NewsArticle')).toMatchObject([
      { headline: 'La corona', image: 'https://azahares.example/img/x-1-960.jpg' },
    ])
    expect(deTipo('/', 'BreadcrumbList')).toEqual([])
  })

  it('can end no script that it stands in', () => {
    expect(json('/')).not.toContain('<')
    expect(grafo('/')[0]?.description).toContain('</script>')
  })

  it('names the people of each screen', () => {
    expect(deTipo('/nuestra-historia', 'Person')).toMatchObject([{ name: 'María José' }])
    expect(deTipo('/candidatas', 'Person')).toMatchObject([{ url: 'https://azahares.example/candidatas#paola' }])
    expect(deTipo('/maestros', 'Person')).toHaveLength(2)
    expect(deTipo('/maestros/lorena', 'Person')).toMatchObject([
      { name: 'Lorena', jobTitle: 'Directora y coordinadora', url: 'https://azahares.example/maestros/lorena' },
    ])
  })

  it('says how one gets to an inner screen', () => {
    expect(deTipo('/maestros/rocio', 'BreadcrumbList')).toMatchObject([
      {
        itemListElement: [
          { position: 1, name: 'Inicio', item: 'https://azahares.example/' },
          { position: 2, name: 'Maestros', item: 'https://azahares.example/maestros' },
          { position: 3, name: 'Rocío', item: 'https://azahares.example/maestros/rocio' },
        ],
      },
    ])
  })

  it('says nothing of screens that are not for everybody', () => {
    expect(json('/organizadores')).toBeUndefined()
    expect(json('/maestros/nadie')).toBeUndefined()
  })
})
