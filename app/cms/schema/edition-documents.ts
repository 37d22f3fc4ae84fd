// Longer than 350 lines: the shape of every file of an edition, each of which is short.

import * as v from 'valibot'
import { typedText } from '#app/core/text/typed-text.ts'
import { ACENTO, acentoCercano, contrasteDeAcento, sirveDeAcento } from './accent-color.ts'
import { diaDeCumple } from './birthday.ts'
import type { MarcoDeFoto } from './field-descriptor.ts'
import { MAX_JUECES, MIN_PARA_DESCARTAR } from './final-limits.ts'
import { MARCOS } from './photo-frames.ts'
import { slugOf } from './slug.ts'
import { mendPageAddress, REDES_SOCIALES, type RedSocial, redSocialDe } from './social-networks.ts'
import { con } from './with-label.ts'

/** How many candidates an edition may have once they are announced (D32); until then, none. */
const MIN_CANDIDATAS = 2
export const MAX_CANDIDATAS = 12
/** The longest name that every screen was laid out for. */
export const NOMBRE_CARACTERES = 60

const texto = v.pipe(
  v.string(),
  v.transform(typedText),
  v.nonEmpty('está vacío: escribe el texto'),
  v.metadata({ clase: 'texto' }),
)
/** Several sentences. */
const largo = v.pipe(texto, v.metadata({ clase: 'texto-largo' }))

/** Words that stand on many screens, one title each. */
const titulo = con(texto, 'Título', { max: 120 })
const parrafos = (rotulo: string) => con(v.array(con(largo, 'Párrafo', { max: 1_500 })), rotulo, { uno: 'párrafo' })

const archivo = (clase: 'logo' | 'video' | 'documento' | 'foto', extensiones: string[]) =>
  v.pipe(
    texto,
    v.metadata({ clase, extensiones }),
    v.check(
      (ruta) => !ruta.startsWith('/') && !ruta.split('/').includes('..'),
      'debe ser una ruta dentro de la carpeta de la edición, como inicio/ga1.jpg',
    ),
    v.check(
      (ruta) => extensiones.some((extension) => ruta.endsWith(`.${extension}`)),
      `debe terminar en ${extensiones.map((e) => `.${e}`).join(' o ')}`,
    ),
  )

const porcentaje = v.pipe(
  v.number(),
  v.minValue(0, 'debe estar entre 0 y 100'),
  v.maxValue(100, 'debe estar entre 0 y 100'),
)

const completa = v.check(
  (dir: string) => URL.canParse(dir) && dir.startsWith('https://'),
  'debe ser una dirección completa con https://',
)

const enlace = v.pipe(texto, completa, v.metadata({ clase: 'enlace' }))

/** An address on one of the networks is mended rather than refused, however it was copied. */
const enlaceDeRed = v.pipe(texto, v.transform(mendPageAddress), completa, v.metadata({ clase: 'enlace' }))

/** A page on any of the networks. */
const red = v.pipe(
  enlaceDeRed,
  v.check(
    (dir) => redSocialDe(dir) !== undefined,
    `debe ser una página de ${Object.values(REDES_SOCIALES)
      .map(({ nombre }) => nombre)
      .join(', ')}, como https://www.facebook.com/azahares`,
  ),
)

/** A page on one network. */
const redDe = (cual: RedSocial) => {
  const { nombre, ejemplo } = REDES_SOCIALES[cual]
  return v.pipe(
    enlaceDeRed,
    v.check((dir) => redSocialDe(dir) === cual, `debe ser una página de ${nombre}, como ${ejemplo}`),
  )
}

const paginaEn = (cual: RedSocial) => {
  const { nombre, ejemplo } = REDES_SOCIALES[cual]
  return con(redDe(cual), nombre, { ejemplo })
}

/** Somebody's pages: both of the specification, and others where there are any. */
const RedesSchema = con(
  v.strictObject({
    facebook: paginaEn('facebook'),
    instagram: paginaEn('instagram'),
    tiktok: v.optional(paginaEn('tiktok')),
    youtube: v.optional(paginaEn('youtube')),
    x: v.optional(paginaEn('x')),
    whatsapp: v.optional(paginaEn('whatsapp')),
    threads: v.optional(paginaEn('threads')),
  }),
  'Redes',
)

const momento = v.pipe(
  texto,
  v.check(
    (fecha) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(fecha) && !Number.isNaN(Date.parse(fecha)),
    'debe ser fecha y hora con zona, entre comillas, como "2025-09-25T23:59:00-06:00"',
  ),
  v.metadata({ clase: 'momento' }),
)

const periodo = v.pipe(
  v.strictObject({ abre: con(momento, 'Abre'), cierra: con(momento, 'Cierra') }),
  v.forward(
    v.check(({ abre, cierra }) => Date.parse(abre) < Date.parse(cierra), 'debe ser posterior a cuando abre'),
    ['cierra'],
  ),
)

/** A day without hour, as a calendar has it: "2025-09-12". */
const fecha = v.pipe(
  texto,
  v.check(
    (dia) => /^\d{4}-\d\d-\d\d$/.test(dia) && new Date(`${dia}T00:00Z`).toJSON()?.startsWith(dia) === true,
    'debe ser un día que exista, entre comillas, como "2025-09-12"',
  ),
  v.metadata({ clase: 'fecha' }),
)

/** An hour of Mexico City: "19:30". */
const hora = v.pipe(
  texto,
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'debe ser una hora de 00:00 a 23:59, entre comillas, como "19:30"'),
  v.metadata({ clase: 'hora' }),
)

const cumple = v.pipe(
  texto,
  v.check((dia) => diaDeCumple(dia) !== undefined, 'debe ser un día y un mes, como «7 de agosto»'),
  v.metadata({ clase: 'cumple' }),
)

const nombrePropio = v.pipe(
  texto,
  v.maxLength(NOMBRE_CARACTERES, `tiene más de ${NOMBRE_CARACTERES} caracteres: usa el nombre con que se la conoce`),
)

const anio = v.pipe(v.number(), v.integer('debe ser un año, como 2025'), v.minValue(1900), v.maxValue(2200))
const entero = v.pipe(v.number(), v.integer('debe ser un número entero'), v.minValue(1, 'debe ser 1 o más'))

/** A photograph of the edition: file, alternative text, and where the head or main detail lies (x, y in percent). */
const FotoSchema = v.strictObject({
  foto: archivo('foto', ['jpg', 'jpeg', 'png']),
  alt: con(texto, 'Texto alternativo', { max: 500 }),
  foco: v.tuple([porcentaje, porcentaje]),
})

/** @param ayuda what the photograph should show, or where it stands @param marco how the screens show it */
const foto = (rotulo: string, ayuda?: string, marco?: MarcoDeFoto) =>
  con(FotoSchema, rotulo, { clase: 'foto', ...(ayuda !== undefined && { ayuda }), ...(marco && { marco }) })

/** The accent of the palette, where it is not the house's. */
const acento = v.pipe(
  texto,
  v.regex(/^#[\da-f]{6}$/i, `debe ser un color de seis cifras, entre comillas, como "${ACENTO}"`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || !/^#[\da-f]{6}$/i.test(dataset.value) || sirveDeAcento(dataset.value)) return
    const contrast = contrasteDeAcento(dataset.value).toFixed(1)
    addIssue({
      message: `no se distingue del fondo (contraste ${contrast}; hacen falta 3): elige uno más claro, como "${acentoCercano(dataset.value)}"`,
    })
  }),
  v.metadata({ clase: 'color' }),
)

export const ActualSchema = v.strictObject({ edicion: anio })

const EdicionSchema = con(
  v.strictObject({
    nombre: con(texto, 'Nombre del certamen', { max: 60, ejemplo: 'Señorita Azahares' }),
    rotulo: con(
      v.tuple([con(texto, 'Primer renglón', { max: 30 }), con(texto, 'Segundo renglón', { max: 30 })]),
      'El nombre en dos renglones',
      {
        ayuda: 'Como va, en letras grandes, en la portada y al pie de cada pantalla.',
      },
    ),
    anio: con(anio, 'Año de la edición'),
    numero: con(entero, 'Número de la edición', { ayuda: 'Qué edición del certamen es esta.', ejemplo: 101 }),
    feria: con(
      v.pipe(
        v.strictObject({
          nombre: con(texto, 'Nombre de la feria', { max: 60, ejemplo: 'Feria de Azahares' }),
          desde: con(anio, 'Año de la primera feria'),
          aniversario: con(entero, 'Años que cumple'),
          inicia: con(fecha, 'Primer día'),
          termina: con(fecha, 'Último día'),
        }),
        v.forward(
          v.check(({ inicia, termina }) => inicia <= termina, 'es anterior al día en que inicia la feria'),
          ['termina'],
        ),
      ),
      'La feria',
    ),
    lugar: con(
      v.strictObject({
        domicilio: con(texto, 'Domicilio', { max: 120, ejemplo: 'Portal Hidalgo 14, Centro' }),
        ciudad: con(texto, 'Ciudad', { max: 60 }),
        estado: con(texto, 'Estado', { max: 40 }),
        codigoPostal: con(
          v.pipe(texto, v.regex(/^\d{5}$/, 'debe tener cinco dígitos, entre comillas')),
          'Código postal',
          {
            ejemplo: '47180',
          },
        ),
        mapa: con(enlace, 'Enlace del mapa', {
          ayuda: 'En Google Maps busca el lugar, toca «Compartir» y pega aquí el enlace.',
        }),
      }),
      'Dónde está el comité',
    ),
    redes: RedesSchema,
    /** Whether everybody may open the pages of the accredited press. */
    prensa: con(
      v.strictObject({
        publica: con(v.boolean(), 'Cualquiera puede abrir el material de prensa'),
      }),
      'Prensa',
      // The panel's «Edición» sets it, so that it stands in one place.
      { oculto: true },
    ),
    fechas: con(
      v.strictObject({
        /** When each registration's form takes entries. */
        registro: con(
          v.strictObject({
            candidatas: con(periodo, 'Registro de candidatas'),
            trajes: con(periodo, 'Registro de trajes típicos'),
          }),
          'Cuándo se reciben registros',
          { oculto: true },
        ),
        cierreVotacion: con(momento, 'Cierra la votación'),
        coronacion: con(momento, 'Final y coronación'),
      }),
      'Fechas',
      {
        ayuda:
          'Cada fecha se escribe una vez, y todas las pantallas la siguen. La hora es la del centro de México. Cuándo se reciben registros se cambia en «Edición».',
      },
    ),
    descripcion: con(largo, 'Descripción para buscadores', {
      ayuda: 'Lo que se lee del sitio en Google y al compartirlo.',
      max: 300,
    }),
    acento: v.optional(
      con(acento, 'Color del sitio', { ayuda: 'El de los botones y las líneas. Sin él, es el rosa de siempre.' }),
    ),
  }),
  'El certamen',
)

/** A cut of the home's video; the one that every browser plays, and a smaller one for those that can. */
const corte = (rotulo: string, ayuda: string) =>
  con(
    v.strictObject({
      av1: v.optional(
        con(archivo('video', ['webm']), 'Video más ligero (WebM)', {
          ayuda: 'Opcional: pesa menos en los teléfonos que lo entienden.',
        }),
      ),
      h264: con(archivo('video', ['mp4']), 'Video (MP4)'),
      cartel: foto('Imagen fija', 'Se ve mientras carga el video, y en su lugar cuando no se mueve.'),
    }),
    rotulo,
    { ayuda },
  )

const InicioSchema = con(
  v.strictObject({
    video: con(
      v.strictObject({
        ancho: corte('En computadora', 'Acostado, para pantallas anchas.'),
        vertical: corte('En teléfono', 'De pie.'),
      }),
      'El video de la portada',
    ),
    introduccion: con(largo, 'Introducción', { enfasis: true, max: 600 }),
    galeria: con(v.array(foto('Fotografía', undefined, MARCOS.carrusel)), 'Fotografías', { uno: 'fotografía' }),
    noticias: con(
      v.array(
        v.strictObject({
          titulo,
          texto: con(largo, 'Texto', { max: 800 }),
          imagen: foto('Fotografía', undefined, MARCOS.noticia),
        }),
      ),
      'Noticias',
      { uno: 'noticia' },
    ),
  }),
  'Portada',
)

const id = con(
  v.pipe(texto, v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'debe ir en minúsculas, sin acentos y con guiones')),
  'Clave en el sitio',
  { clase: 'id' },
)

const PatrocinadoresSchema = con(
  v.pipe(
    v.array(
      v.strictObject({
        id,
        nombre: con(texto, 'Nombre', { max: 60, ejemplo: 'Panadería El Azahar' }),
        marca: con(archivo('logo', ['svg', 'png']), 'Logotipo'),
        red: con(red, 'Su página', { ejemplo: 'https://www.facebook.com/azahares' }),
      }),
    ),
    v.check((todos) => sonDistintos(todos.map(({ id }) => id)), 'tiene un id repetido: cambia uno de los dos'),
  ),
  'Patrocinadores',
  { uno: 'patrocinador' },
)

/** The colours of light, one a candidate: of her block, her card, her bar. */
export const TONOS = ['fucsia', 'oro', 'turquesa', 'violeta', 'coral'] as const

/** Somebody's photographs. */
const fotos = (marco: MarcoDeFoto) =>
  con(
    v.pipe(v.array(foto('Fotografía', undefined, marco)), v.minLength(1, 'debe tener al menos una fotografía')),
    'Fotografías',
    { uno: 'fotografía' },
  )

/** The candidates in the vote's order (§3), which never changes: links name a candidate by her index. */
const CandidatasSchema = con(
  v.pipe(
    v.strictObject({
      /** All of them together, once there is such a photograph: for the screen, and for the press. */
      grupo: v.optional(foto('Todas juntas', undefined, MARCOS.grupo)),
      grupoPrensa: v.optional(foto('Todas juntas, para la prensa')),
      candidatas: con(
        v.pipe(
          v.array(
            v.strictObject({
              /** Her id never changes: votes, cards and files go by it, whatever becomes of the name. */
              id: v.pipe(id, v.maxLength(NOMBRE_CARACTERES, `tiene más de ${NOMBRE_CARACTERES} caracteres: acórtalo`)),
              nombre: con(nombrePropio, 'Nombre completo', { ejemplo: 'Valeria Bugambilia Olmos' }),
              /** Names under which she had votes before the site kept names itself. */
              antes: v.optional(
                con(v.array(con(texto, 'Nombre de antes')), 'Nombres de antes', { oculto: true, uno: 'nombre' }),
                [],
              ),
              edad: con(entero, 'Edad', { ejemplo: 22 }),
              origen: con(texto, 'De dónde es', { max: 60, ejemplo: 'El Salitre' }),
              cumple: con(cumple, 'Cumpleaños', { ejemplo: '7 de agosto' }),
              carrera: con(texto, 'Qué estudia o a qué se dedica', { max: 80, ejemplo: 'Licenciatura en Enfermería' }),
              signo: con(texto, 'Signo', { max: 20, ejemplo: 'Leo' }),
              pasatiempos: con(texto, 'Pasatiempos', { max: 120, ejemplo: 'Danza folclórica y natación' }),
              semblanza: con(largo, 'Semblanza', { ayuda: 'Dos o tres frases sobre ella.', max: 600 }),
              tono: con(v.picklist(TONOS, `debe ser uno de: ${TONOS.join(', ')}`), 'Su color', {
                clase: 'tono',
                ayuda: 'El de su luz en la pantalla, su tarjeta y su barra de votos.',
              }),
              silueta: foto('Silueta', 'De cuerpo entero y a contraluz.', MARCOS.silueta),
              galeria: fotos(MARCOS.galeriaDeCandidata),
              /** What the press downloads (§2.13). */
              prensa: v.optional(
                con(
                  v.strictObject({
                    b: v.optional(foto('Blanco y negro')),
                    normal: v.optional(foto('A color')),
                    vestido: v.optional(foto('Con vestido')),
                  }),
                  'Para la prensa',
                  { ayuda: 'Lo que descargan los medios acreditados.' },
                ),
                {},
              ),
            }),
          ),
          v.maxLength(MAX_CANDIDATAS, `debe tener a lo más ${MAX_CANDIDATAS} candidatas`),
          v.check((todas) => sonUnicos(todas), 'tiene dos candidatas con el mismo nombre'),
          v.check(
            (todas) => sonDistintos(todas.map(({ id }) => id)),
            'tiene dos candidatas con el mismo id: los votos de una contarían para la otra',
          ),
          v.check(
            (todas) => sonDistintos(todas.flatMap(({ nombre, antes }) => [...new Set([nombre, ...antes])])),
            'tiene un nombre, de ahora o de «antes», en dos candidatas: los votos con él no serían de ninguna',
          ),
        ),
        'Candidatas',
        {
          uno: 'candidata',
          ayuda: `De ${MIN_CANDIDATAS} a ${MAX_CANDIDATAS}, o ninguna mientras no se anuncien. Van en el orden de la votación.`,
        },
      ),
      /** Who takes no part any more: her place in the vote's order stays empty, since links name a candidate by it. */
      retiradas: v.optional(
        con(
          v.array(
            con(
              v.strictObject({
                id: con(id, 'Identificador'),
                /** From 0, among all that the vote began with. */
                lugar: con(v.pipe(v.number(), v.integer(), v.minValue(0)), 'Lugar'),
                /** Kept only where she has votes, which the count has to name. */
                nombre: v.optional(con(nombrePropio, 'Nombre')),
                /** ISO. */
                desde: con(texto, 'Desde'),
              }),
              'Retirada',
            ),
          ),
          'Retiradas',
          { oculto: true, uno: 'candidata' },
        ),
        [],
      ),
    }),
    v.forward(
      v.check(
        ({ candidatas, retiradas }) =>
          candidatas.length === 0 || candidatas.length + retiradas.length >= MIN_CANDIDATAS,
        `debe tener al menos ${MIN_CANDIDATAS} candidatas, o ninguna mientras no se anuncien`,
      ),
      ['candidatas'],
    ),
  ),
  'Candidatas',
)

const HistoriaSchema = con(
  v.strictObject({
    hero: foto('Fotografía de portada', undefined, MARCOS.historia),
    entrada: con(largo, 'Primer párrafo', { ayuda: 'Va en letra más grande.', max: 600 }),
    parrafos: parrafos('La crónica'),
    foto: foto('Fotografía antigua', undefined, MARCOS.antigua),
    cita: con(
      v.strictObject({
        texto: con(largo, 'Frase', { ayuda: 'Sin comillas: las pone el sitio.', max: 300 }),
        fuente: con(texto, 'De quién es', { max: 160 }),
      }),
      'Una frase',
    ),
    reina: con(
      v.strictObject({
        nombre: con(nombrePropio, 'Nombre completo'),
        foto: foto('Retrato', undefined, MARCOS.reina),
        nacimiento: con(texto, 'Lugar de nacimiento', { max: 80, ejemplo: 'Azahares, Jalisco' }),
        edad: con(entero, 'Edad'),
        estudios: con(texto, 'Estudios', { max: 80 }),
        bio: parrafos('Su historia'),
        cita: con(largo, 'Una frase suya', { ayuda: 'Sin comillas: las pone el sitio.', max: 300 }),
      }),
      'La reina',
    ),
  }),
  'Historia y reina',
)

/** A card of a teacher's profile: a text whose lines begin with an asterisk (§2.7), and a photograph. */
const tarjeta = (rotulo: string) =>
  con(
    v.strictObject({
      texto: con(largo, 'Renglones', { ayuda: 'Cada renglón empieza con un asterisco: * Así.', max: 600 }),
      foto: foto('Fotografía', undefined, MARCOS.tarjeta),
    }),
    rotulo,
  )

const MaestrosSchema = con(
  v.strictObject({
    banner: foto('Fotografía de portada', undefined, MARCOS.maestros),
    maestros: con(
      v.pipe(
        v.array(
          v.strictObject({
            /** By it a teacher is known again under another name. */
            id: v.optional(id),
            nombre: con(nombrePropio, 'Nombre completo'),
            /** Job title in one line or two. */
            puesto: con(
              v.pipe(
                v.union([texto, v.array(texto)], 'debe ser un texto o una lista de dos renglones'),
                v.transform((renglones) => [renglones].flat()),
                v.minLength(1, 'está vacío: escribe el puesto'),
                v.maxLength(2, 'debe tener a lo más dos renglones'),
              ),
              'Puesto',
              { clase: 'renglones', ayuda: 'En un renglón o en dos.', ejemplo: 'Entrenadora física' },
            ),
            descripcion: con(largo, 'En una línea', { max: 200 }),
            foto: foto('Retrato', undefined, MARCOS.maestro),
            /** For the press alone. */
            retratoBn: v.optional(foto('Retrato en blanco y negro, para la prensa')),
            bio: parrafos('Su historia'),
            galeria: fotos(MARCOS.galeriaDeMaestro),
            tarjetas: con(
              v.strictObject({
                credenciales: tarjeta('Credenciales'),
                exitos: tarjeta('Éxitos'),
                datos: tarjeta('Datos curiosos'),
              }),
              'Tarjetas',
            ),
            /** An upright video, 9:16; it needs subtitles if it has sound. */
            video: v.optional(
              con(
                v.strictObject({
                  archivo: con(archivo('video', ['mp4', 'webm']), 'Video', { ayuda: 'De pie.' }),
                  cartel: foto('Imagen fija'),
                  subtitulos: v.optional(
                    con(archivo('documento', ['vtt']), 'Subtítulos', {
                      ayuda: 'Hacen falta si el video tiene sonido.',
                    }),
                  ),
                }),
                'Video',
              ),
            ),
            redes: RedesSchema,
          }),
        ),
        v.check((todos) => sonUnicos(todos), 'tiene dos maestros con el mismo nombre'),
        v.check(
          (todos) => sonDistintos(todos.flatMap(({ id }) => id ?? [])),
          'tiene dos maestros con el mismo id: cambia uno de los dos',
        ),
      ),
      'Maestros',
      { uno: 'perfil' },
    ),
  }),
  'Maestros',
)

const ConvocatoriasSchema = con(
  v.strictObject({
    anuncios: con(
      v.array(
        v.strictObject({
          titulo,
          texto: con(largo, 'Texto', { max: 300 }),
          imagen: foto('Cartel', 'El texto alternativo dice todo lo que el cartel dice con letras.', MARCOS.anuncio),
          /**
           * Stands under the button «Registrarse» once the registration has closed; without a note there is no button
           * then.
           */
          nota: v.optional(
            con(texto, 'Nota cuando ya cerró', {
              ayuda: 'Va bajo el botón «Registrarse», que entonces ya no se puede tocar. Sin nota no hay botón.',
              max: 160,
            }),
          ),
          /** The registration that it announces. While that is open, the button leads to its form. */
          registro: v.optional(
            con(v.picklist(['candidatas', 'trajes'], 'debe ser candidatas o trajes'), 'Registro que anuncia', {
              opciones: { candidatas: 'El de candidatas', trajes: 'El de trajes típicos' },
            }),
          ),
          /** Stands in place of title, text and picture until that registration closes. */
          invitacion: v.optional(
            con(
              v.strictObject({
                titulo,
                texto: con(largo, 'Texto', { max: 300 }),
                imagen: foto('Cartel', undefined, MARCOS.anuncio),
              }),
              'Mientras el registro está abierto',
              { ayuda: 'Se ve en lugar de lo de arriba hasta que cierre el registro.' },
            ),
          ),
        }),
      ),
      'Anuncios',
      { uno: 'anuncio' },
    ),
    /** The press's page (§2.10); the teachers' portraits come from maestros.yaml. */
    oficial: con(
      v.strictObject({
        boletin: con(
          v.strictObject({
            titulo,
            fecha: con(fecha, 'Fecha'),
            parrafos: parrafos('Texto'),
            documento: con(archivo('documento', ['docx', 'pdf']), 'Documento para descargar'),
          }),
          'Boletín de prensa',
        ),
        reina: con(v.array(foto('Fotografía')), 'Fotografías de la reina', { uno: 'fotografía' }),
        directora: con(v.array(foto('Fotografía')), 'Fotografías de la dirección', { uno: 'fotografía' }),
        cartel: foto('Cartel de la convocatoria'),
        credito: con(texto, 'Crédito de las fotografías', { max: 160 }),
        uso: con(largo, 'Condiciones de uso', { max: 500 }),
      }),
      'Convocatoria oficial',
    ),
  }),
  'Convocatorias',
)

const PrensaSchema = con(
  v.strictObject({
    banner: foto('Fotografía de portada', undefined, MARCOS.banda),
    bienvenida: con(
      v.tuple([con(largo, 'Primer párrafo', { max: 500 }), con(largo, 'Segundo párrafo', { max: 500 })]),
      'Antes de entrar',
    ),
    gracias: con(largo, 'Después de entrar', { max: 500 }),
  }),
  'Sala de prensa',
)

const PopularidadSchema = con(
  v.strictObject({
    /** What the winner's card says until she has words of her own. */
    proclamacion: con(
      v.strictObject({
        felicitacion: con(texto, 'Felicitación', { max: 60, ejemplo: '¡Felicidades!' }),
        mensaje: con(largo, 'Su mensaje', { max: 500 }),
      }),
      'La tarjeta de quien gane',
      { ayuda: 'Lo que dice mientras ella no tenga palabras suyas.' },
    ),
    /** The winner, known once the vote is over. */
    ganadora: v.optional(
      con(
        v.strictObject({
          /** Her id, as candidatas.yaml has it. */
          candidata: con(texto, 'Quién ganó', { clase: 'persona' }),
          nombreCorto: con(nombrePropio, 'Nombre corto', { ejemplo: 'Ximena Agave' }),
          felicitacion: con(texto, 'Felicitación', { max: 60, ejemplo: '¡Felicidades!' }),
          mensaje: con(largo, 'Su mensaje', { max: 500 }),
          foto: foto('Fotografía', undefined, MARCOS.ganadora),
          redes: RedesSchema,
        }),
        'Las palabras de la ganadora',
        { ayuda: 'Sólo el acta de cierre la proclama; aquí va lo que dice su tarjeta.' },
      ),
    ),
    patrocinadores: con(PatrocinadoresSchema, 'Patrocinadores de la votación'),
  }),
  'Señorita Popularidad',
)

/** A mail domain, as it stands after the @. */
const dominio = v.pipe(
  texto,
  v.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'debe ser un dominio en minúsculas, como gmail.com'),
  v.title('Dominio'),
)

/** Thresholds, in votes, beyond which an origin's votes are marked. */
const ReglasSchema = con(
  v.strictObject({
    dominio: con(entero, 'De un mismo dominio propio', {
      ayuda: 'Correos de una empresa o una escuela: quien administra el dominio hace los buzones que quiera.',
    }),
    servicio: v.optional(
      con(entero, 'De servicios de alias, todos juntos', {
        ayuda:
          'Servicios en que una sola cuenta tiene cuantas direcciones quiera (duck.com, SimpleLogin, Firefox Relay).',
      }),
      4,
    ),
    unoDeCada: v.optional(
      con(entero, 'Esos dos límites crecen hasta uno de cada', {
        ayuda: 'Con 750: cuando hay 30,000 votos, un dominio puede tener 40 sin que se marquen.',
      }),
      750,
    ),
    /** Of editions from before: they mark nothing any more. */
    receptor: v.optional(con(entero, 'De un mismo servidor', { oculto: true })),
    alojamientoPorRed: v.optional(con(entero, 'De un mismo alojamiento y una misma red', { oculto: true })),
    rafagaPorRed: con(entero, 'En diez minutos, desde una red'),
    rafagaPorBloque: con(entero, 'En diez minutos, desde una compañía telefónica'),
    trabajoPorRed: con(entero, 'Desde una red, para pedir trabajo al teléfono', {
      ayuda: 'No marca ningún voto: desde ahí cada uno toma un momento más.',
    }),
    trabajoPorDominio: con(entero, 'Por dominio propio, para pedir trabajo al teléfono'),
  }),
  'Cuántos votos de un mismo origen se marcan',
  { ayuda: 'Se publican en el acta de cero, y desde ella ya no cambian.' },
)

const VotacionSchema = con(
  v.strictObject({
    reglas: ReglasSchema,
    retiro: v.optional(
      con(v.picklist(['nulos', 'cuentan'], 'debe ser nulos o cuentan'), 'Los votos de una candidata que se retira', {
        ayuda:
          '«nulos»: se cuentan en «Otros / inválidos». «cuentan»: siguen siendo suyos, pero no puede ganar. Se publica en el acta de cero, y desde ella ya no cambia.',
      }),
      'nulos',
    ),
    /** Domains whose addresses anybody may have. */
    proveedores: con(v.array(dominio), 'Correos que cualquiera tiene', { uno: 'dominio' }),
    /** Of editions from before, beside `receptor`. */
    alojamientos: v.optional(
      con(v.array(dominio), 'Servidores que reciben el correo de miles', { uno: 'dominio', oculto: true }),
    ),
  }),
  'Reglas de la votación',
)

/** What a round's criteria weigh together. */
const PESO_TOTAL = 100

const CriterioSchema = v.strictObject({
  nombre: con(texto, 'Criterio', { max: 40, ejemplo: 'Porte y elegancia' }),
  peso: con(v.pipe(entero, v.maxValue(PESO_TOTAL, 'debe ser 100 o menos')), 'Cuánto pesa', {
    ayuda: 'Los de una ronda suman 100.',
    ejemplo: 40,
  }),
})

const RondaSchema = v.strictObject({
  nombre: con(texto, 'Nombre de la ronda', { max: 40, ejemplo: 'Traje típico' }),
  clase: con(
    v.picklist(['presentacion', 'traje', 'talento', 'pregunta'], 'debe ser presentacion, traje, talento o pregunta'),
    'De qué es',
    {
      opciones: {
        presentacion: 'Presentación',
        traje: 'Pasarela con traje',
        talento: 'Talento',
        pregunta: 'Pregunta del jurado',
      },
    },
  ),
  criterios: con(
    v.pipe(
      v.array(CriterioSchema),
      v.minLength(1, 'debe tener al menos un criterio'),
      v.maxLength(5, 'debe tener a lo más cinco criterios'),
      v.check(
        (todos) => sonDistintos(todos.map(({ nombre }) => nombre)),
        'tiene dos criterios con el mismo nombre: cambia uno de los dos',
      ),
      v.check(
        (todos) => todos.reduce((suma, { peso }) => suma + peso, 0) === PESO_TOTAL,
        'pesa en total otra cosa que 100: corrige lo que pesa cada criterio',
      ),
    ),
    'Criterios',
    { uno: 'criterio', ayuda: 'Cada juez da de 1 a 10 por criterio.' },
  ),
  pasan: v.optional(
    con(entero, 'Cuántas pasan a la ronda siguiente', { ayuda: 'Vacío: pasan todas. En la última se deja vacío.' }),
  ),
  desdeCero: v.optional(
    con(v.boolean(), 'Empieza desde cero', { ayuda: 'Los puntos de las rondas anteriores ya no cuentan.' }),
    false,
  ),
})

/** The night of the final: what judges score, and what is done with it. Without rounds there is none. */
const FinalSchema = con(
  v.pipe(
    v.strictObject({
      jueces: v.optional(
        con(v.pipe(entero, v.maxValue(MAX_JUECES, `debe ser ${MAX_JUECES} o menos`)), 'Cuántos jueces hay'),
        5,
      ),
      medios: v.optional(con(v.boolean(), 'Se puede dar medio punto'), false),
      descarta: v.optional(
        con(v.boolean(), 'No cuentan la calificación más alta ni la más baja', {
          ayuda: `De cada candidata en cada ronda. Hace falta que califiquen al menos ${MIN_PARA_DESCARTAR} jueces.`,
        }),
        false,
      ),
      conNombres: v.optional(
        con(v.boolean(), 'El acta dice los nombres del jurado', { ayuda: 'Si no, dice «Jurado 1», «Jurado 2»…' }),
        false,
      ),
      rondas: con(
        v.pipe(
          v.array(RondaSchema),
          v.maxLength(8, 'debe tener a lo más ocho rondas'),
          v.check(
            (todas) => sonDistintos(todas.map(({ nombre }) => nombre)),
            'tiene dos rondas con el mismo nombre: cambia uno de los dos',
          ),
          v.check(
            (todas) => todas.at(-1)?.pasan === undefined,
            'dice en la última cuántas pasan, y no hay otra después: déjalo vacío',
          ),
        ),
        'Rondas',
        { uno: 'ronda' },
      ),
      desempate: v.optional(
        con(
          v.array(
            v.strictObject({
              ronda: con(texto, 'Quien tenga más en la ronda', {
                ayuda: 'Su nombre, como está arriba.',
                ejemplo: 'Pregunta del jurado',
              }),
              criterio: v.optional(con(texto, 'Y de ella, en el criterio', { ayuda: 'Vacío: en la ronda completa.' })),
            }),
          ),
          'Si hay empate',
          {
            uno: 'regla',
            ayuda:
              'Se miran en este orden; una ronda que todavía no pasa se salta. Si nada decide, lo decide un sorteo que sale del sello del acta con que se abre la final, y que cualquiera puede repetir.',
          },
        ),
        [],
      ),
      lugares: v.optional(
        con(
          v.array(con(texto, 'Título', { max: 60, ejemplo: 'Primera princesa' })),
          'Los títulos, desde el primer lugar',
          {
            uno: 'título',
          },
        ),
        [],
      ),
    }),
    v.forward(
      v.check(
        ({ descarta, jueces }) => !descarta || jueces >= MIN_PARA_DESCARTAR,
        `necesita al menos ${MIN_PARA_DESCARTAR} jueces`,
      ),
      ['descarta'],
    ),
    v.forward(
      v.check(
        ({ desempate, rondas }) =>
          desempate.every(({ ronda, criterio }) => {
            const named = rondas.find(({ nombre }) => nombre === ronda)
            return named && (criterio === undefined || named.criterios.some(({ nombre }) => nombre === criterio))
          }),
        'nombra una ronda, o un criterio de ella, que no hay: escríbelo como está en «Rondas»',
      ),
      ['desempate'],
    ),
  ),
  'La noche de la final',
)

/** What a line of the fair's programme says. */
const EventoSchema = v.strictObject({
  /** By which addresses and calendars know it; the site writes it down. */
  id: v.optional(
    con(
      v.pipe(texto, v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'debe ir en minúsculas, sin acentos y con guiones')),
      'Clave en el calendario',
      { oculto: true },
    ),
  ),
  que: con(texto, 'Qué hay', { max: 140, ejemplo: 'Desfile inaugural con carros alegóricos' }),
  /** The place within the town. */
  lugar: con(texto, 'Dónde', { max: 100, ejemplo: 'Explanada de la parroquia' }),
  quien: v.optional(con(texto, 'Quién participa', { max: 140 })),
  nota: v.optional(con(texto, 'Nota', { max: 160 })),
})

/** The fair's programme. What edicion.yaml dates (the final, the vote's closing) has no hour of its own here. */
const ProgramaSchema = con(
  v.strictObject({
    /** Under the heading. */
    entrada: v.optional(con(largo, 'Bajo el título', { max: 400 })),
    coronacion: v.optional(con(EventoSchema, 'La coronación', { ayuda: 'Su día y su hora son los de «El certamen».' })),
    cierreVotacion: v.optional(
      con(EventoSchema, 'El cierre de la votación', { ayuda: 'Su día y su hora son los de «El certamen».' }),
    ),
    dias: con(
      v.pipe(
        v.array(
          v.strictObject({
            fecha: con(fecha, 'Día'),
            /** What the day is known for. */
            titulo: v.optional(con(texto, 'Título del día', { max: 80, ejemplo: 'Domingo de familia' })),
            eventos: con(
              v.array(
                v.strictObject({
                  hora: con(hora, 'Empieza'),
                  /** Not later than its beginning: the morning after. */
                  termina: v.optional(con(hora, 'Termina')),
                  ...EventoSchema.entries,
                }),
              ),
              'Eventos',
              { uno: 'evento' },
            ),
          }),
        ),
        v.check(
          (dias) => sonDistintos(dias.map(({ fecha }) => fecha)),
          'tiene dos veces el mismo día: júntalos en uno',
        ),
      ),
      'Días',
      { uno: 'día' },
    ),
  }),
  'Programa de la feria',
)

/**
 * A registration's texts. Its hints stand by kinds of document, which only the entry knows (app/entries/definitions/document-hints.ts).
 * @param claves the kinds, each in words
 */
const registro = (rotulo: string, claves: Record<string, string>) =>
  con(
    v.strictObject({
      imagen: foto('Fotografía', undefined, MARCOS.banda),
      entrada: con(largo, 'Bajo el título', { max: 300 }),
      /** Above the documents. */
      documentos: con(texto, 'Título de los documentos', { max: 60 }),
      advertencia: con(largo, 'Advertencia sobre los archivos', { max: 200 }),
      pistas: con(v.record(v.string(), con(texto, 'Pista', { max: 160 })), 'Qué se dice junto a cada documento', {
        claves,
      }),
      consentimiento: con(
        v.strictObject({
          antes: con(largo, 'Antes del enlace', { max: 300 }),
          enlace: con(texto, 'El enlace', { max: 60 }),
          despues: con(texto, 'Después del enlace', { max: 200 }),
        }),
        'El consentimiento',
      ),
      exito: con(largo, 'Cuando se recibió', { ayuda: 'Bajo «Registro exitoso.»', max: 400 }),
      /** `alLlenar`: of no use while the form is closed. */
      notas: con(
        v.array(
          v.strictObject({
            titulo,
            texto: con(largo, 'Texto', { max: 300 }),
            alLlenar: v.optional(con(v.boolean(), 'Sólo mientras el registro está abierto'), false),
          }),
        ),
        'Notas junto al formulario',
        { uno: 'nota' },
      ),
    }),
    rotulo,
  )

const PrivacidadSchema = con(
  v.strictObject({
    vigente: con(texto, 'Vigente desde', { max: 40, ejemplo: '15 de julio de 2025' }),
    entrada: con(largo, 'Bajo el título', { max: 500 }),
    secciones: con(
      v.array(
        v.strictObject({
          titulo,
          cuerpo: con(
            v.array(
              con(v.union([texto, v.array(texto)], 'debe ser un párrafo o una lista de renglones'), 'Párrafo', {
                clase: 'parrafo',
                ayuda: 'Para una lista, empieza cada renglón con un guion.',
              }),
            ),
            'Texto',
            { uno: 'párrafo' },
          ),
        }),
      ),
      'Secciones',
      { uno: 'sección' },
    ),
  }),
  'Aviso de privacidad',
)

export { slugOf }

/** Files of an edition → their shapes. A new file of content begins with a line here. */
export const ARCHIVOS = {
  'edicion.yaml': EdicionSchema,
  'inicio.yaml': InicioSchema,
  'candidatas.yaml': CandidatasSchema,
  'historia.yaml': HistoriaSchema,
  'maestros.yaml': MaestrosSchema,
  'convocatorias.yaml': ConvocatoriasSchema,
  'programa.yaml': ProgramaSchema,
  'final.yaml': FinalSchema,
  'popularidad.yaml': PopularidadSchema,
  'votacion.yaml': VotacionSchema,
  'prensa.yaml': PrensaSchema,
  'patrocinadores.yaml': PatrocinadoresSchema,
  'registro.yaml': registro('Registro de candidatas', {
    actaNacimiento: 'Acta de nacimiento',
    credencialElector: 'Credencial de elector',
    constanciaEstudios: 'Constancia de estudios',
    fotoRostro: 'Fotografía de rostro',
    fotoCuerpo: 'Fotografía de cuerpo entero',
  }),
  'registro-traje.yaml': registro('Registro de trajes típicos', {
    bocetoFrontal: 'Boceto de frente',
    bocetoPosterior: 'Boceto por detrás',
    identificacion: 'Identificación',
  }),
  'privacidad.yaml': PrivacidadSchema,
}

export type Foto = v.InferOutput<typeof FotoSchema>

const sonDistintos = (nombres: string[]): boolean => new Set(nombres).size === nombres.length

const sonUnicos = (todos: { nombre: string }[]): boolean => sonDistintos(todos.map(({ nombre }) => slugOf(nombre)))
