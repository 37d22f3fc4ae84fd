import { describe, expect, it } from 'vitest'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { structuredDataOf } from './structured-data.server.ts'

const picture = { base: '/img/x-1', jpegWidth: 960, width: 960, height: 640, alt: 'x' }
const edition = {
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
  inicio: {
    noticias: [
      { slug: 'corona', titulo: 'La corona', fecha: '2025-08-30', texto: '**A mano**:\n- una', imagen: picture },
      { slug: 'rueda', titulo: 'La rueda', texto: 'Gira.', imagen: picture },
    ],
  },
  convocatorias: { anuncios: [{ slug: 'trajes', titulo: 'Trajes' }] },
  historia: { reina: { nombre: 'María José', foto: picture, nacimiento: 'Azahares', bio: ['Segunda de cuatro.'] } },
  candidatas: [{ nombre: 'Paola', id: 'paola', origen: 'San Blas', semblanza: 'Canta.', galeria: [picture] }],
  maestros: [
    {
      nombre: 'Lorena',
      slug: 'lorena',
      puesto: ['Directora', 'y coordinadora'],
      bio: ['Dirige.'],
      foto: picture,
      redes: {},
    },
    { nombre: 'Rocío', slug: 'rocio', puesto: ['Maestra de baile'], bio: ['Baila.'], foto: picture, redes: {} },
  ],
} as unknown as Edition

const json = (path: string) => structuredDataOf(path, edition, 'https://azahares.example')
/** The JSON-LD of a screen, as a list. */
const graph = (path: string) => JSON.parse(json(path) ?? '{"@graph":[]}')['@graph'] as Record<string, unknown>[]
const ofType = (path: string, type: string) => graph(path).filter((one) => one['@type'] === type)

describe('structuredDataOf', () => {
  it('names the fair and its final on the home, with dates, place, organiser and picture', () => {
    const shared = {
      location: { address: { addressLocality: 'Azahares', postalCode: '47180' } },
      organizer: { name: 'Señorita Azahares' },
      image: 'https://azahares.example/img/tarjeta-inicio-1.jpg',
    }
    expect(ofType('/', 'Festival')).toMatchObject([
      { name: 'Feria de Azahares 2025', startDate: '2025-09-12', endDate: '2025-09-28', ...shared },
    ])
    expect(ofType('/', 'Event')).toMatchObject([{ startDate: '2025-09-27T20:00:00-06:00', ...shared }])
    expect(ofType('/', 'NewsArticle')).toMatchObject([
      {
        headline: 'La corona',
        description: 'A mano: una.',
        datePublished: '2025-08-30',
        image: 'https://azahares.example/img/x-1-960.jpg',
        url: 'https://azahares.example/noticias/corona',
      },
      { headline: 'La rueda', url: 'https://azahares.example/noticias/rueda' },
    ])
    expect(ofType('/', 'NewsArticle')[1]).not.toHaveProperty('datePublished')
    expect(ofType('/noticias/rueda', 'NewsArticle')).toMatchObject([{ headline: 'La rueda' }])
    expect(ofType('/', 'BreadcrumbList')).toEqual([])
  })

  it('escapes «<», so that no text can end the script element', () => {
    expect(json('/')).not.toContain('<')
    expect(graph('/')[0]?.description).toContain('</script>')
  })

  it('names the people of each screen', () => {
    expect(ofType('/nuestra-historia', 'Person')).toMatchObject([{ name: 'María José' }])
    expect(ofType('/candidatas', 'Person')).toMatchObject([{ url: 'https://azahares.example/candidatas#paola' }])
    expect(ofType('/maestros', 'Person')).toHaveLength(2)
    expect(ofType('/maestros/lorena', 'Person')).toMatchObject([
      { name: 'Lorena', jobTitle: 'Directora y coordinadora', url: 'https://azahares.example/maestros/lorena' },
    ])
  })

  it('lists the breadcrumbs of an inner screen', () => {
    expect(ofType('/maestros/rocio', 'BreadcrumbList')).toMatchObject([
      {
        itemListElement: [
          { position: 1, name: 'Inicio', item: 'https://azahares.example/' },
          { position: 2, name: 'Maestros', item: 'https://azahares.example/maestros' },
          { position: 3, name: 'Rocío', item: 'https://azahares.example/maestros/rocio' },
        ],
      },
    ])
  })

  it('is undefined for screens that are not public', () => {
    expect(json('/organizadores')).toBeUndefined()
    expect(json('/maestros/nadie')).toBeUndefined()
  })
})
