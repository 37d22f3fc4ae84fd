import { index, type RouteConfig, route } from '@react-router/dev/routes'

export default [
  index('inicio/inicio.page.tsx'),
  route('nuestra-historia', 'ui/proximamente.page.tsx', { id: 'historia' }),
] satisfies RouteConfig
