export default {
  nav: [
    {
      text: 'core',
      link: '/api/core/',
    },
    {
      text: 'more',
      link: '/api/more/',
    },
  ],
}
