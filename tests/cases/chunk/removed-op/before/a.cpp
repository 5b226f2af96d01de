class A {};
