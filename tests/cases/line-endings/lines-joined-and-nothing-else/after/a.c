int f(){
  go();
}
