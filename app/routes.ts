import { index, layout, type RouteConfig, route } from '@react-router/dev/routes'

/** A screen of §2.1 that is not built yet. */
const proximamente = (path: string) => route(path, 'marco/proximamente.page.tsx', { id: path })

export default [
  layout('marco/pantallas.tsx', [
    index('inicio/inicio.page.tsx'),
    route('nuestra-historia', 'historia/historia.page.tsx'),
    route('candidatas', 'candidatas/candidatas.page.tsx'),
    route('maestros', 'maestros/maestros.page.tsx'),
    route('maestros/:slug', 'maestros/perfil.page.tsx'),
    route('convocatoria', 'convocatorias/convocatoria.page.tsx'),
    route('convocatoriaoficial', 'prensa/convocatoria-oficial.page.tsx'),
    route('medios', 'prensa/medios.page.tsx'),
    route('medios/clave', 'cuentas/clave.page.tsx'),
    route('registro', 'registros/registro.page.tsx'),
    proximamente('registro-traje-tipico'),
    route('galeria-candidatas', 'prensa/galeria-candidatas.page.tsx'),
    route('misspopularidad', 'popularidad/popularidad.page.tsx'),
    route('misspopularidad/acta', 'escrutinio/acta.page.tsx'),
    route('misspopularidad-resultados', 'escrutinio/resultados.page.tsx'),
    route('aviso-de-privacidad', 'privacidad/privacidad.page.tsx'),
    // Every piece in every state, for whoever works on them.
    ...(process.env.NODE_ENV === 'development' ? [route('_ui', 'marco/muestrario.page.tsx')] : []),
    route('*', 'marco/no-encontrada.page.tsx'),
  ]),
  route('descargas/:archivo', 'prensa/descarga.resource.ts'),
  route('entrar', 'cuentas/entrar.resource.ts'),
  route('cuentas/google', 'cuentas/google.resource.ts', { id: 'google' }),
  route('cuentas/callback/google', 'cuentas/google.resource.ts', { id: 'google-callback' }),
  route('sesion', 'cuentas/sesion.resource.ts'),
  route('misspopularidad/voto', 'popularidad/voto.resource.ts'),
  route('misspopularidad/acta.json', 'escrutinio/acta-json.resource.ts'),
  route('misspopularidad-resultados/vivo', 'escrutinio/vivo.resource.ts'),
  route('misspopularidad-resultados/:tabla', 'escrutinio/tabla.resource.ts'),
  route('hora', 'platform/hora.resource.ts'),
  route('registro/envio', 'registros/envio.resource.ts'),
  // What other machines read.
  route('sitemap.xml', 'buscadores/sitemap.resource.ts'),
  route('robots.txt', 'buscadores/robots.resource.ts'),
  route('manifest.webmanifest', 'buscadores/manifest.resource.ts'),
  route('feria.ics', 'calendario/feria.resource.ts'),
] satisfies RouteConfig
