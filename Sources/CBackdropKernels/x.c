int bd_x(void){return 0;}
